using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>What stands in a line.</summary>
/// <param name="Clock">Where the time comes from.</param>
/// <param name="IncludesTemplate">Whether the template stands beside the message.</param>
/// <param name="IncludesScopes">Whether the values of scopes do.</param>
/// <param name="EndsLines">Whether an event ends its line.</param>
/// <param name="MaxEventBytes">From so many bytes on nothing more is put into an event; a text that reaches them is cut.</param>
internal sealed record EventFormat(TimeProvider Clock, bool IncludesTemplate, bool IncludesScopes, bool EndsLines, int MaxEventBytes);

/// <summary>What each event has.</summary>
internal readonly record struct EventHead(LogLevel Level, EventId Id, string Category, string Message, Exception? Exception);
