using System.Diagnostics;

namespace Sluice.Log;

/// <summary>
/// The newest error of a part of a log, and when it came. Noting one needs no memory, the want of which may be what is noted; of several
/// that are noted at a time any one is kept.
/// </summary>
internal sealed class NotedError
{
    private Exception? _error;
    private long _at;

    /// <summary>Null where there was none.</summary>
    public Exception? Error => Volatile.Read(ref _error);

    public void Note(Exception error)
    {
        Volatile.Write(ref _at, Stopwatch.GetTimestamp());
        Volatile.Write(ref _error, error);
    }

    /// <summary>Null where there is none.</summary>
    public static Exception? Newest(params IEnumerable<NotedError?> parts) =>
        parts.MaxBy(static p => p?.Error is null ? 0 : Volatile.Read(ref p._at))?.Error;
}
