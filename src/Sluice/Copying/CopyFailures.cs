using Sluice.Uring;

namespace Sluice.Copying;

/// <summary>
/// Collects the failures of the copy of a tree. The first failure ends the copy, unless the copy continues after failures. Thread-safe.
/// </summary>
/// <param name="continues">True if the copy continues after a failure.</param>
/// <param name="meter">The object that counts the files.</param>
/// <param name="stop">Cancels the copy.</param>
/// <param name="result">Returns the result of the copy. It is called when the copy has ended.</param>
internal sealed class CopyFailures(bool continues, CopyMeter meter, CancellationTokenSource stop, Func<CopyResult> result)
{
    private readonly Lock _lock = new();
    private readonly List<FileFailure> _failures = [];
    private bool _hasRefusal;
    private long _bytes;
    private volatile bool _hasEnded;

    /// <summary>Gets a value that indicates whether a failure has ended the copy.</summary>
    public bool HasEnded => _hasEnded;

    public void Add(string path, Exception error)
    {
        bool isLast = !continues || AffectsAllFiles(-error.HResult);
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
    /// Records that the target's file system refused metadata. The file stays and the copy continues. Only the first refusal is kept,
    /// because the same one applies to all further files.
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

    /// <summary>Counts the bytes of a file that was copied completely.</summary>
    public void Count(long bytes) => Interlocked.Add(ref _bytes, bytes);

    /// <exception cref="FileBatchException">There were failures.</exception>
    public void ThrowIfAny()
    {
        if (ToException() is { } exception)
        {
            throw exception;
        }
    }

    /// <summary>Returns all failures as one exception, or null if there were none.</summary>
    public FileBatchException? ToException()
    {
        lock (_lock)
        {
            long bytes = Volatile.Read(ref _bytes);
            return _failures.Count > 0
                ? new FileBatchException(_failures, meter.Files, bytes) { Copied = result() with { Bytes = bytes } }
                : null;
        }
    }

    /// <summary>Returns true for errors that all further files would also cause.</summary>
    private static bool AffectsAllFiles(int result) => result is -Errno.ENOSPC or -Errno.EDQUOT or -Errno.EROFS;
}
