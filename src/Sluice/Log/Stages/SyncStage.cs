using Sluice.Log.Folders;

namespace Sluice.Log.Stages;

/// <summary>
/// Makes written records durable: one sync at a time, whose target is taken when it begins, acknowledges all who wait for no more than
/// that.
/// What comes while it runs gathers for the next. Threads of its own, off everybody's way: the keeper seals full segments, the maker makes
/// the next.
/// </summary>
internal sealed partial class SyncStage
{
    private readonly WriteStage _writes;
    private readonly LogOutput _output;
    private readonly string _directory;
    private readonly DurableMark _mark;
    private readonly StageThread _thread;
    private readonly StageThread _keeper;

    /// <summary>Makes files ahead, whatever the keeper is at: who appends would make them otherwise.</summary>
    private readonly StageThread? _maker;

    // Made once: there may be no memory when they are needed.
    private readonly Func<LogWaiter, Exception?, Exception?> _whyFailed;
    private readonly Action _closeFull;
    private readonly Action _housekeep;
    private readonly Action _makeAhead;
    private long _durable;
    private bool _mustRecover;
    private bool _isBusy;

    /// <summary>Of those who wait for the keeper's next round; null for none.</summary>
    private TaskCompletionSource? _keeping;

    /// <param name="writes">What comes before.</param>
    /// <param name="output">Where records are.</param>
    /// <param name="directory">For messages.</param>
    /// <param name="mark">Says to readers, and to the next opening, how far the log is durable.</param>
    /// <param name="keeperIntervalMs">How often the keeper looks, unasked, what is too old; Timeout.Infinite for never.</param>
    public SyncStage(
        WriteStage writes, LogOutput output, string directory, DurableMark mark, int keeperIntervalMs = Timeout.Infinite)
    {
        (_writes, _output, _directory, _mark, _durable) = (writes, output, directory, mark, output.DurableSequence);
        _whyFailed = (_, error) => LogErrors.Failed(_directory, "Making durable", error!);
        (_closeFull, _housekeep, _makeAhead) = (CloseFull, _output.Housekeep, _output.MakeAhead);
        _thread = new StageThread("Sluice log sync", DurableMark.AgainMs, Round, () => _mark.IsBehind(Durable));
        _keeper = new StageThread("Sluice log keeper", keeperIntervalMs, KeepHouse, () => keeperIntervalMs != Timeout.Infinite);
        _maker = output.MakesAhead ? new StageThread("Sluice log maker", Timeout.Infinite, MakeAhead, static () => false) : null;
    }

    /// <summary>Held by who leads; taken before <see cref="WriteStage.Gate"/>.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Those who wait for their records to be durable.</summary>
    public WaiterList Waiters { get; } = new();

    /// <summary>The last sequence that is on the disk.</summary>
    public long Durable => Volatile.Read(ref _durable);

    /// <summary>The newest error of a sync, or of work that nobody waited for.</summary>
    public NotedError LastError { get; } = new();

    /// <inheritdoc cref="StageThread.Start"/>
    public void Start()
    {
        _thread.Start();
        _keeper.Start();
        _maker?.Start();
    }

    /// <summary>Asks the keeper to see to segments, and the maker where one is wanted.</summary>
    public void SignalKeeper()
    {
        if (_output.WantsNext)
        {
            _maker?.Signal();
        }

        _keeper.Signal();
    }

    /// <summary>Ends the keeper and the maker: nobody makes or seals segments any more but who writes, and who closes the log.</summary>
    public void EndKeeper()
    {
        _maker?.End();
        _keeper.End();
        Interlocked.Exchange(ref _keeping, null)?.TrySetResult();
    }

    /// <summary>Asks the keeper to see to segments; ends when a round that began after this has ended, whatever came of it.</summary>
    public Task NextKeeping()
    {
        TaskCompletionSource mine = new(TaskCreationOptions.RunContinuationsAsynchronously);
        TaskCompletionSource keeping = Interlocked.CompareExchange(ref _keeping, mine, null) ?? mine;
        SignalKeeper();
        if (_keeper.HasEnded)
        {
            Interlocked.Exchange(ref _keeping, null)?.TrySetResult();
        }

        return keeping.Task;
    }

    /// <inheritdoc cref="WriteStage.Signal"/>
    public void Signal() => _thread.Signal();

    /// <summary>Leads a sync if nobody leads. Whoever waits was pushed before.</summary>
    public void TryLead()
    {
        if (Gate.TryEnter())
        {
            try
            {
                // Read before: from the end on everything that has a place is written by this round.
                bool hasEnded = _thread.HasEnded;
                if (SyncAll() is null && hasEnded)
                {
                    Waiters.Fail(Durable, _writes.WhyDropped);
                }
            }
            finally
            {
                Leave();
            }
        }
    }

    /// <summary>Leaves <see cref="Gate"/>, and sees to those who came too late for the round.</summary>
    public void Leave()
    {
        Gate.Exit();
        Waiters.WakeEnded();
        Interlocked.MemoryBarrier();
        if (_thread.HasEnded && !Waiters.IsEmpty)
        {
            TryLead();
        }
        else if (Waiters.HasSleepers)
        {
            Signal();
        }
    }

    /// <summary>Waits for a waiter that was pushed: leads, or sleeps.</summary>
    public void Await(SyncWaiter waiter)
    {
        TryLead();
        if (waiter.TryPark())
        {
            Waiters.AddSleeper();
            TryLead();
            waiter.Sleep();
        }

        waiter.ThrowIfFailed();
    }

    /// <summary>
    /// Writes what is in the ring and makes it durable, for whoever holds <see cref="Gate"/>. An error goes to those who wait for what it
    /// concerns, and is returned, whatever it is: nobody waits for ever.
    /// </summary>
    public Exception? SyncAll()
    {
        // Before a page is sealed: who gets a place behind that sees it.
        Volatile.Write(ref _isBusy, true);
        try
        {
            return SyncWritten();
        }
        catch (Exception e)
        {
            LastError.Note(e);

            // Who came when its records had been made durable waits for nothing: else it would for ever, and be asked for without an end.
            Waiters.Complete(Durable);
            Waiters.Fail(Durable, _whyFailed, e);
            return e;
        }
        finally
        {
            Volatile.Write(ref _isBusy, false);
        }
    }

    /// <summary>
    /// A record that came too late for the sync that runs is written within the interval all the same, with those that others put behind
    /// it.
    /// </summary>
    public void RouseWritesIfBusy()
    {
        if (Volatile.Read(ref _isBusy))
        {
            _writes.Rouse();
        }
    }

    private Exception? SyncWritten()
    {
        Exception? error;
        long target;
        _writes.Gate.EnterAlways();
        try
        {
            error = _writes.WriteAll();
            if (error is not null)
            {
                _writes.Fail(Waiters, error);
            }

            target = _writes.Written;
            if (target > Durable && !_writes.IsLetGo)
            {
                _output.TakeMark();
            }
        }
        finally
        {
            _writes.Leave();
        }

        return target > Durable ? Sync(target) ?? error : Reach(Durable, error);
    }

    /// <summary>After a tail was dropped, by whoever holds both gates.</summary>
    public void Restart(long durable)
    {
        Volatile.Write(ref _durable, durable);
        _mustRecover = false;
        _mark.AcceptLess();
    }

    /// <summary>Before a tail is dropped, by whoever holds both gates: the folder says on the disk that less is durable.</summary>
    public void MarkLess(long durable) => _mark.WriteLess(durable);

    /// <summary>Ends the log's own threads.</summary>
    public void End()
    {
        EndKeeper();
        _thread.End();
    }

    private Exception? Sync(long target)
    {
        if (_mustRecover)
        {
            return Recover();
        }

        // Where this fails no sync has: what is written stays where it is.
        _writes.ThrowIfLetGo();
        _output.BeforeSync();
        try
        {
            _output.Sync();
            return Reach(target, null);
        }
        catch (Exception e)
        {
            // From now on no sync of these pages proves anything: the kernel tells of a lost page once.
            _mustRecover = true;
            LastError.Note(e);
        }

        return Recover();
    }

    /// <exception cref="Exception">What is not durable could not be made so elsewhere; the next sync tries again.</exception>
    private Exception? Recover()
    {
        _writes.Gate.EnterAlways();
        try
        {
            _writes.ThrowIfLetGo();
            _output.Recover();
            _mustRecover = false;
        }
        finally
        {
            _writes.Leave();
        }

        return Reach(_output.DurableSequence, null);
    }

    private Exception? Reach(long durable, Exception? error)
    {
        if (durable > Durable)
        {
            Volatile.Write(ref _durable, durable);
        }

        if (_mark.IsBehind(Durable))
        {
            Mark();
        }

        Waiters.Complete(Durable);
        return error;
    }

    /// <summary>
    /// Says in the log's folder how far it is durable, by whoever has the gate. A mark that is too low is true as well, and written anew by
    /// the log's own thread, or with the next sync.
    /// </summary>
    public void Mark()
    {
        try
        {
            _mark.Write(Durable);
        }
        catch (Exception e)
        {
            // Whatever it was, those who wait for what is durable do not wait for ever.
            LastError.Note(e);
            Interlocked.MemoryBarrier();
            _thread.Rouse();
        }
    }

    /// <summary>On the log's own thread.</summary>
    private void Round(bool asked)
    {
        Gate.EnterAlways();
        try
        {
            if (!Waiters.IsEmpty)
            {
                _ = SyncAll();
            }

            if (_mark.IsBehind(Durable))
            {
                Mark();
            }
        }
        catch (Exception e)
        {
            // Nobody waits for it: who does was told within.
            LastError.Note(e);
        }
        finally
        {
            Leave();
        }
    }
}
