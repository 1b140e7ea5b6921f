using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>The settings that determine the content of an event.</summary>
/// <param name="Clock">The source of the time of events.</param>
/// <param name="IncludesTemplate">True to add the message template to the message.</param>
/// <param name="IncludesScopes">True to add the values of scopes.</param>
/// <param name="EndsLines">True to end each event with a line feed.</param>
/// <param name="MaxEventBytes">The size at which no more values are added to an event. A text that would exceed it is shortened.</param>
internal sealed record EventFormat(TimeProvider Clock, bool IncludesTemplate, bool IncludesScopes, bool EndsLines, int MaxEventBytes);

/// <summary>The properties that every event has.</summary>
internal readonly record struct EventHead(LogLevel Level, EventId Id, string Category, string Message, Exception? Exception);
