namespace Sluice.Log.Appending;

/// <summary>
/// The work of a log in addition to its appends, done by two workers: one seals full segments and removes old ones, the other one creates
/// the next segment, so that no append waits for that on a slow disk.
/// </summary>
internal sealed class Keeper
{
    private readonly Committer _committer;
    private readonly LogOutput _output;
    private readonly LogWorker _worker;
    private readonly LogWorker _maker;

    /// <param name="committer">Makes full segments durable.</param>
    /// <param name="output">The files of the log.</param>
    /// <param name="intervalMs">
    /// The interval of the periodic checks for old segments, in milliseconds; Timeout.Infinite to check only after a signal.
    /// </param>
    public Keeper(Committer committer, LogOutput output, int intervalMs)
    {
        (_committer, _output) = (committer, output);
        _worker = new LogWorker(intervalMs, Round, () => intervalMs != Timeout.Infinite);
        _maker = new LogWorker(Timeout.Infinite, _ => Try(_output.MakeAhead), static () => false);
        committer.SignalKeeper = Signal;
    }

    /// <summary>Requests a round of both workers.</summary>
    public void Signal()
    {
        _maker.Signal();
        _worker.Signal();
    }

    /// <summary>
    /// Ends both workers. A requested round of the first worker that has not begun is run here, so that old segments are removed before the
    /// log is closed.
    /// </summary>
    public void End()
    {
        _maker.End();
        _worker.End();
        if (_worker.IsSignaled)
        {
            Round(asked: true);
        }
    }

    /// <summary>Makes full segments durable, seals and closes them. Does nothing after a failure of the log.</summary>
    /// <exception cref="IOException">Records could not be written, or a segment could not be made durable, sealed or closed.</exception>
    public void CloseFull()
    {
        if (_output.HasFull && _committer.Failure is null)
        {
            Exception? error = null;
            _committer.WithSyncLock(() =>
            {
                // Full segments are closed even if a write failed: retention can then remove old ones and free the space of a full disk.
                error = _committer.Commit();
                error = _committer.Failure ?? _committer.CloseFull() ?? error;
            });
            if (error is not null)
            {
                throw error;
            }
        }
    }

    private void Round(bool asked)
    {
        // Old segments are removed even if closing full ones fails, because this may free the space that a full disk needs.
        Try(CloseFull);
        Try(_output.Housekeep);
    }

    private void Try(Action work)
    {
        try
        {
            work();
        }
        catch (Exception e)
        {
            // The thread that needs the result tries again, and gets the error.
            _output.LastError = e;
        }
    }
}
