using Sluice.Log.Folders;

namespace Sluice.Log.Stages;

/// <summary>
/// What a log does beside its appends, on threads of its own: one makes full segments durable, seals and removes segments, the other one
/// creates the next segment.
/// </summary>
internal sealed class Keeper
{
    private readonly Committer _committer;
    private readonly LogOutput _output;
    private readonly DurableMark _mark;
    private readonly StageThread _thread;
    private readonly StageThread? _maker;

    /// <param name="committer">Makes full segments durable.</param>
    /// <param name="output">The files.</param>
    /// <param name="mark">Records how far the log is durable.</param>
    /// <param name="intervalMs">The time, in milliseconds, between two looks for old segments; Timeout.Infinite for never.</param>
    public Keeper(Committer committer, LogOutput output, DurableMark mark, int intervalMs)
    {
        (_committer, _output, _mark) = (committer, output, mark);
        _thread = new StageThread("Sluice log keeper", intervalMs, Round, () => intervalMs != Timeout.Infinite);
        _maker = output.MakesAhead ? new StageThread("Sluice log maker", Timeout.Infinite, MakeAhead, static () => false) : null;
        committer.SignalKeeper = Signal;
    }

    /// <summary>The newest error of work that nobody waited for.</summary>
    public NotedError LastError { get; } = new();

    /// <inheritdoc cref="StageThread.Start"/>
    public void Start()
    {
        _thread.Start();
        _maker?.Start();
    }

    /// <summary>Asks for a round, and for the next segment if one is wanted.</summary>
    public void Signal()
    {
        if (_output.WantsNext)
        {
            _maker?.Signal();
        }

        _thread.Signal();
    }

    /// <summary>Ends both threads.</summary>
    public void End()
    {
        _maker?.End();
        _thread.End();
    }

    /// <summary>Makes full segments durable, seals and closes them.</summary>
    /// <exception cref="IOException">A segment could not be made durable, sealed or closed; the others were.</exception>
    public void CloseFull()
    {
        if (!_output.HasFull || _committer.Failure is not null)
        {
            return;
        }

        (long covered, long lowered) = (0, 0);
        Exception? error = null;
        _committer.Alone(() =>
        {
            error = _committer.Commit();
            (covered, lowered) = (_mark.Said, _mark.Lowered);
        });

        // A footer is believed only if log.state covers it, so that is on the disk before there is one.
        _committer.FlushMark();

        // Numbers that were removed meanwhile are others' now.
        error = _output.SealFull(_mark.Lowered == lowered ? covered : 0) ?? error;
        IReadOnlyList<IDisposable> closed = [];
        _committer.Alone(() => closed = _output.LetGoOfSealed());
        LogFile.DisposeAll(closed);
        if (error is not null)
        {
            throw error;
        }
    }

    private void Round(bool asked)
    {
        // The second runs even if the first fails: removing segments may free the space that a full disk needs.
        Try(CloseFull);
        Try(_output.Housekeep);
    }

    private void MakeAhead(bool asked)
    {
        Try(_output.MakeAhead);

        // The keeper, which makes room first, tries again what could not be created.
        _thread.Signal();
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
            LastError.Note(e);
        }
    }
}
