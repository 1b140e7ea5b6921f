namespace Sluice.Extensions.Logging;

/// <summary>A log of events that is replaced by a new log in the same directory after a flush to the disk has failed.</summary>
internal sealed class ReopeningLog : IDisposable
{
    /// <summary>The time, in milliseconds, after which the directory is opened again if that has failed.</summary>
    private const int RetryMs = 1000;

    private readonly Lock _lock = new();
    private readonly string? _directory;
    private readonly SluiceLogOptions? _options;
    private SluiceLog _log;
    private long _retryAt = long.MinValue;
    private bool _isDisposed;

    /// <summary>Initializes an instance for a log of the caller. This log is not replaced.</summary>
    public ReopeningLog(SluiceLog log) => _log = log;

    /// <summary>Initializes an instance that opens a log.</summary>
    public ReopeningLog(string path, SluiceLogOptions options)
    {
        (_directory, _options) = EventLogPath.Split(path, options);
        _log = SluiceLog.Open(_directory, _options);
    }

    /// <summary>Gets the log to append to.</summary>
    public SluiceLog Current => Volatile.Read(ref _log);

    /// <summary>Replaces a log that accepts no more events.</summary>
    /// <param name="failed">The log to which an event could not be appended.</param>
    /// <param name="lost">
    /// The number of records that the failed log accepted but did not write, for the caller that closes the log; otherwise, 0.
    /// </param>
    /// <returns>True if <see cref="Current"/> is another log now.</returns>
    public bool TryReplace(SluiceLog failed, out long lost)
    {
        lost = 0;
        if (_directory is null || failed.Failure is null)
        {
            return false;
        }

        lock (_lock)
        {
            if (_log != failed)
            {
                return true;
            }

            if (Environment.TickCount64 < _retryAt)
            {
                return false;
            }

            if (_retryAt == long.MinValue)
            {
                // Closes the log before counting: until then, writes in progress still increase WrittenSequence.
                Close(failed);
                lost = failed.NextSequence - 1 - failed.WrittenSequence;
            }

            _retryAt = Environment.TickCount64 + RetryMs;
            try
            {
                SluiceLog opened = SluiceLog.Open(_directory, _options);
                _ = Interlocked.Exchange(ref _log, opened);
                _retryAt = long.MinValue;
                if (!Volatile.Read(ref _isDisposed))
                {
                    return true;
                }

                // Dispose may have closed the log before this one.
                Close(opened);
                return false;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                return false;
            }
        }
    }

    /// <summary>Closes the log, also one that replaces it meanwhile.</summary>
    /// <exception cref="IOException">Records could not be written or made durable. The log is closed nevertheless.</exception>
    public void Dispose()
    {
        _ = Interlocked.Exchange(ref _isDisposed, true);
        Current.Dispose();
    }

    private static void Close(SluiceLog log)
    {
        try
        {
            log.Dispose();
        }
        catch (IOException)
        {
            // The caller has the failure of the log already, or the new log has no records.
        }
    }
}
