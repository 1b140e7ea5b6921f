using Microsoft.Extensions.Logging;

namespace Sluice.Extensions.Logging;

/// <summary>What stands in a line.</summary>
internal sealed record EventFormat(TimeProvider Clock, bool IncludesTemplate, bool IncludesScopes, bool EndsLines);

/// <summary>What each event has.</summary>
internal readonly record struct EventHead(LogLevel Level, EventId Id, string Category, string Message, Exception? Exception);
