using Sluice.Uring;

namespace Sluice.Copying;

/// <summary>
/// What failed in a copy of a tree, and what was copied beside it. The first failure ends the copy, unless it is to go on. Thread-safe.
/// </summary>
/// <param name="continues">Whether the copy is to go on after a failure.</param>
/// <param name="meter">What counts the files.</param>
/// <param name="stop">Ends the copy.</param>
/// <param name="result">What the copy has done, asked for when it has ended.</param>
internal sealed class CopyFailures(bool continues, CopyMeter meter, CancellationTokenSource stop, Func<CopyResult> result)
{
    private readonly Lock _lock = new();
    private readonly List<FileFailure> _failures = [];
    private bool _hasRefusal;
    private long _bytes;
    private volatile bool _hasEnded;

    /// <summary>Whether the copy has been ended by one of them.</summary>
    public bool HasEnded => _hasEnded;

    public void Add(string path, Exception error)
    {
        bool isLast = !continues || IsEverybodys(-error.HResult);
        lock (_lock)
        {
            if (_hasEnded)
            {
                return;
            }

            _failures.Add(new FileFailure(path, error));
            _hasEnded = isLast;
        }

        if (isLast)
        {
            stop.Cancel();
        }
    }

    /// <summary>
    /// Metadata that the target's file system refuses: what has been copied stays, the copy goes on, and only the first refusal is kept, as
    /// each further file would meet it too.
    /// </summary>
    public void AddRefusal(string path, Exception? refused)
    {
        lock (_lock)
        {
            if (refused is not null && !_hasRefusal && !_hasEnded)
            {
                _hasRefusal = true;
                _failures.Add(new FileFailure(path, refused));
            }
        }
    }

    /// <summary>The bytes of a file that has been copied whole.</summary>
    public void Count(long bytes) => Interlocked.Add(ref _bytes, bytes);

    /// <exception cref="FileBatchException">Something failed.</exception>
    public void ThrowIfAny()
    {
        if (Found() is { } found)
        {
            throw found;
        }
    }

    /// <summary>All that has failed, as one exception; null: nothing has.</summary>
    public FileBatchException? Found()
    {
        lock (_lock)
        {
            long bytes = Volatile.Read(ref _bytes);
            return _failures.Count > 0
                ? new FileBatchException(_failures, meter.Files, bytes) { Copied = result() with { Bytes = bytes } }
                : null;
        }
    }

    /// <summary>Errors that every further file would meet too.</summary>
    private static bool IsEverybodys(int result) => result is -Errno.ENOSPC or -Errno.EDQUOT or -Errno.EROFS;
}
