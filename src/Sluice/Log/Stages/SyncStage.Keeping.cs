namespace Sluice.Log.Stages;

/// <summary>What the keeper and the maker do.</summary>
internal sealed partial class SyncStage
{
    /// <summary>On the keeper. Who appends waits for it where too many full segments do, for his patience at a time; who syncs, while it
    /// syncs or, where a sync has failed, while it seals and removes.</summary>
    private void KeepHouse(bool asked)
    {
        // Also where the first fails: what is removed may give a full disk the space that it needs.
        TaskCompletionSource? keeping = Interlocked.Exchange(ref _keeping, null);
        Try(_closeFull);
        Try(_housekeep);
        keeping?.TrySetResult();
    }

    /// <summary>On the maker. The keeper, which makes room first, tries again what could not be made.</summary>
    private void MakeAhead(bool asked)
    {
        Try(_makeAhead);
        _keeper.Signal();
    }

    private void Try(Action work)
    {
        try
        {
            work();
        }
        catch (Exception e)
        {
            // Whoever needs what could not be done tries again, and is told.
            LastError.Note(e);
        }
    }

    /// <summary>Makes full segments durable, seals them and lets go of them. Nobody who calls this has a gate.</summary>
    public void CloseFull()
    {
        if (_output.HasFull)
        {
            (long covered, long lowered) = (0, 0);
            Hold(() =>
            {
                _ = SyncAll();
                (covered, lowered) = (_mark.Said, _mark.Lowered);
            });

            // A footer is believed only if the mark covers it: the mark is on the disk before there is one. What others have made durable
            // since is sealed in the next round.
            _mark.Flush();

            // Numbers that were dropped meanwhile are others' now.
            _output.SealFull(_mark.Lowered == lowered ? covered : 0);
            IReadOnlyList<IDisposable> closed = [];
            Hold(() => closed = _output.LetGoOfSealed());
            foreach (IDisposable file in closed)
            {
                file.Dispose();
            }
        }
    }

    /// <summary>Does something with <see cref="Gate"/>.</summary>
    public void Hold(Action action)
    {
        Gate.EnterAlways();
        try
        {
            action();
        }
        finally
        {
            Leave();
        }
    }
}
