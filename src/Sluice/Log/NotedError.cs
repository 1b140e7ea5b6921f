using System.Diagnostics;

namespace Sluice.Log;

/// <summary>An error, and when it came.</summary>
internal sealed record NotedError(Exception Error)
{
    private readonly long _at = Stopwatch.GetTimestamp();

    /// <summary>Null where there is none.</summary>
    public static Exception? Newest(params IEnumerable<NotedError?> errors) => errors.MaxBy(static e => e?._at ?? 0)?.Error;
}
