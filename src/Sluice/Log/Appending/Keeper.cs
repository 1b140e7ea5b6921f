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
    /// <param name="output">The files.</param>
    /// <param name="intervalMs">The time, in milliseconds, between two looks for old segments; Timeout.Infinite for never.</param>
    public Keeper(Committer committer, LogOutput output, int intervalMs)
    {
        (_committer, _output) = (committer, output);
        _worker = new LogWorker(intervalMs, Round, () => intervalMs != Timeout.Infinite);
        _maker = new LogWorker(Timeout.Infinite, _ => Try(_output.MakeAhead), static () => false);
        committer.SignalKeeper = Signal;
    }

    /// <summary>Asks for a round of each.</summary>
    public void Signal()
    {
        _maker.Signal();
        _worker.Signal();
    }

    /// <summary>
    /// Ends both. A round that was requested and has not begun is done here, so that old segments are removed before the log is closed.
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

    /// <summary>Makes full segments durable, seals and closes them.</summary>
    /// <exception cref="IOException">A segment could not be made durable, sealed or closed; the others were.</exception>
    public void CloseFull()
    {
        if (_output.HasFull && _committer.Failure is null)
        {
            Exception? error = null;
            _committer.Alone(() =>
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
        // The second runs even if the first fails: removing segments may free the space that a full disk needs.
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
