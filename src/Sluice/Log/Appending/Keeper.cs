namespace Sluice.Log.Appending;

/// <summary>
/// The work of a log beside its appends, on two threads: one seals full segments and removes old ones, and the other one creates the
/// next segment, so that no append waits for that although the disk is slow.
/// </summary>
internal sealed class Keeper
{
    private readonly Committer _committer;
    private readonly LogOutput _output;
    private readonly WorkerThread _thread;
    private readonly WorkerThread _maker;

    /// <param name="committer">Makes full segments durable.</param>
    /// <param name="output">The files.</param>
    /// <param name="intervalMs">The time, in milliseconds, between two looks for old segments; Timeout.Infinite for never.</param>
    public Keeper(Committer committer, LogOutput output, int intervalMs)
    {
        (_committer, _output) = (committer, output);
        _thread = new WorkerThread("Sluice log keeper", intervalMs, Round, () => intervalMs != Timeout.Infinite);
        _maker = new WorkerThread("Sluice log maker", Timeout.Infinite, _ => Try(_output.MakeAhead), static () => false);
        committer.SignalKeeper = Signal;
    }

    /// <inheritdoc cref="WorkerThread.Start"/>
    public void Start()
    {
        _thread.Start();
        _maker.Start();
    }

    /// <summary>Asks for a round of each.</summary>
    public void Signal()
    {
        _maker.Signal();
        _thread.Signal();
    }

    /// <summary>Ends both threads.</summary>
    public void End()
    {
        _maker.End();
        _thread.End();
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
