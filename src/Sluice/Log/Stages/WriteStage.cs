using Sluice.Kernel;

namespace Sluice.Log.Stages;

/// <summary>
/// Takes full pages out of the ring and writes them; one thread at a time, whoever finds the stage free. Who waits for its records to be
/// written leads one round itself, or is served by whoever leads; what is left over is the log's own thread's.
/// </summary>
internal sealed class WriteStage
{
    /// <summary>Spins between two looks of who waits for a write (0014): three looks take about 1 us.</summary>
    private const int SpinsPerLook = 8;

    /// <summary>How often who leads also serves those who fell asleep meanwhile, before the log's own thread is woken for them.</summary>
    private const int MoreRounds = 2;

    /// <summary>About 1 us, where a second processor may be writing just now.</summary>
    private static readonly int s_looks = Environment.ProcessorCount > 1 ? Tuning.LogLooks : 1;

    private readonly PageRing _ring;
    private readonly LogOutput _output;
    private readonly string _directory;
    private readonly StageThread _thread;
    private readonly Action _housekeeping;

    /// <summary>
    /// While a place is waited for that somebody fills: whose records are written does not wait for him as well, nor who falls asleep just
    /// now, so that this is done again and again.
    /// </summary>
    private readonly Action _wakeServed;

    /// <summary>What a waiter is failed with where a write has failed: made once, since there may be no memory then.</summary>
    private readonly Func<LogWaiter, Exception?, Exception?> _whyFailed;
    private long _written;
    private bool _flushIsDue;

    /// <summary>Whether the last round failed: what is left then waits for the next interval.</summary>
    private bool _hasFailed;
    private bool _isLetGo;

    public WriteStage(PageRing ring, LogOutput output, string directory, long written, int intervalMs, Action housekeeping)
    {
        (_ring, _output, _directory, _written, _housekeeping) = (ring, output, directory, written, housekeeping);
        _wakeServed = () =>
        {
            Waiters.Complete(Written);
            Waiters.WakeAllEnded();
        };
        _whyFailed = (waiter, error) => TryWithdraw(waiter)
            ? LogErrors.Failed(_directory, "Appending to", error!)
            : LogErrors.Dropped(_directory);
        WhyDropped = (waiter, _) => waiter.OwnRecords == LogWaiter.Any ? null : LogErrors.Dropped(_directory);
        _thread = new StageThread("Sluice log writer", intervalMs, Round, () => _ring.HasRecords);
    }

    /// <summary>Held by who leads.</summary>
    public Lock Gate { get; } = new();

    /// <summary>Whether the log is closed, and its files may be another writer's; for who has this gate or that of syncs.</summary>
    public bool IsLetGo => _isLetGo;

    /// <summary>Those who wait for their records to be written.</summary>
    public WaiterList Waiters { get; } = new(mostWaking: Math.Max(1, Environment.ProcessorCount - 1));

    /// <summary>The last sequence that the operating system has.</summary>
    public long Written => Volatile.Read(ref _written);

    /// <inheritdoc cref="StageThread.Start"/>
    public void Start() => _thread.Start();

    /// <summary>Asks the log's own thread for a round.</summary>
    public void Signal() => _thread.Signal();

    /// <summary>Sees to it that what is in the ring is written within the interval.</summary>
    public void Rouse() => _thread.Rouse();

    /// <summary>Leads a round if nobody leads. Whoever waits was pushed before.</summary>
    public void TryLead() => TryLead(MoreRounds);

    private void TryLead(int moreRounds)
    {
        // A thread that leads already sees who came meanwhile.
        if (Gate.TryEnter())
        {
            try
            {
                // Read before: from the end on everything that has a place is written by this round.
                bool hasEnded = _thread.HasEnded;
                if (WriteAll() is null && hasEnded)
                {
                    Waiters.Fail(Written, WhyDropped);
                }
            }
            finally
            {
                Leave(moreRounds);
            }
        }
    }

    /// <summary>Leaves <see cref="Gate"/>, and sees to those who came too late for the round.</summary>
    public void Leave() => Leave(0);

    /// <summary>
    /// Waits for a waiter that was pushed. A write takes less time than to fall asleep and to be woken, so that the thread first looks
    /// whether it is served, or can lead.
    /// </summary>
    public void Await(SyncWaiter waiter)
    {
        TryLead();
        for (int i = 1; i < s_looks && !waiter.IsDone; i++)
        {
            Thread.SpinWait(SpinsPerLook);
            TryLead();
        }

        if (waiter.TryPark())
        {
            Waiters.AddSleeper();
            TryLead();
            waiter.Sleep();
            Waiters.NoteAwake();
        }

        waiter.ThrowIfFailed();
    }

    private void Leave(int moreRounds)
    {
        Gate.Exit();
        Waiters.WakeEnded();

        // Who sleeps said so before it found the gate taken: it is seen here, or it found the gate free.
        Interlocked.MemoryBarrier();
        bool isAlone = _thread.HasEnded && !Waiters.IsEmpty;
        if (isAlone || (moreRounds > 0 && Waiters.HasSleepers))
        {
            TryLead(moreRounds - 1);
        }
        else if (Waiters.HasSleepers || (_ring.HasSealed && !Volatile.Read(ref _hasFailed)))
        {
            Signal();
        }
    }

    /// <summary>
    /// Writes everything that has a place now, for whoever holds <see cref="Gate"/>. An error goes to all who wait here, and is returned;
    /// the pages stay, and are tried again within the interval.
    /// </summary>
    public Exception? WriteAll()
    {
        Exception? error = Write(sealsActive: true);
        if (error is not null)
        {
            Fail(Waiters, error);
        }

        return error;
    }

    /// <summary>Fails all who wait in a list for what is not written; their own records are withdrawn. The gate is held.</summary>
    public void Fail(WaiterList waiters, Exception error)
    {
        LastError.Note(error);
        waiters.Fail(Written, _whyFailed, error);
    }

    /// <summary>
    /// Of who waits for a record that is not in the log any more: null for who waits for memory, and has it, and for who flushes, and has
    /// flushed all that is left.
    /// </summary>
    public Func<LogWaiter, Exception?, Exception?> WhyDropped { get; }

    /// <summary>The newest error of a write, whoever was told of it.</summary>
    public NotedError LastError { get; } = new();

    /// <summary>Asks the log's own thread to write what is there, full page or not.</summary>
    public void SignalFlush()
    {
        Volatile.Write(ref _flushIsDue, true);
        Signal();
    }

    /// <summary>After the ring is empty and nobody appends: the log goes on behind a record.</summary>
    public void Restart(long written) => Volatile.Write(ref _written, written);

    /// <summary>Nothing is written any more, and whoever asks for it is told; both gates are held.</summary>
    public void LetGo() => _isLetGo = true;

    /// <inheritdoc cref="IsLetGo"/>
    /// <exception cref="IOException">It is.</exception>
    public void ThrowIfLetGo()
    {
        if (_isLetGo)
        {
            throw LogErrors.LetGo(_directory);
        }
    }

    /// <summary>Ends the log's own thread.</summary>
    public void End() => _thread.End();

    /// <summary>On the log's own thread.</summary>
    private void Round(bool asked)
    {
        Gate.EnterAlways();
        try
        {
            bool sealsActive = !asked || !Waiters.IsEmpty || Volatile.Read(ref _flushIsDue);
            Volatile.Write(ref _flushIsDue, false);

            // What failed just now, and nobody waits for, is tried again when the interval is over.
            Exception? error = sealsActive || !_hasFailed ? Write(sealsActive) : null;
            if (error is not null)
            {
                Fail(Waiters, error);
            }

            if (_hasFailed)
            {
                // Where the disk is full, there may be segments that need not be kept.
                _housekeeping();
            }
        }
        finally
        {
            Leave();
        }
    }

    private Exception? Write(bool sealsActive)
    {
        try
        {
            // Only what has a place now: others may fill pages as fast as they are written, and who leads has something else to do.
            WriteBefore(_ring.ActiveNumber);
            if (sealsActive)
            {
                // As late as possible, so that many are in it.
                _ring.TrySealActive();
                WriteBefore(_ring.ActiveNumber);
            }

            Waiters.Complete(Written);
            Volatile.Write(ref _hasFailed, false);
            if (_output.NeedsHousekeeping)
            {
                _housekeeping();
            }

            return null;
        }
        catch (Exception e)
        {
            // Whatever it was, nobody waits for ever; who came when its records had been written waits for nothing. And what nobody waits
            // for is tried again by the log's own thread.
            Waiters.Complete(Written);
            Volatile.Write(ref _hasFailed, true);
            Interlocked.MemoryBarrier();
            Rouse();
            return e;
        }
    }

    /// <summary>Writes the pages that were sealed before the one with a number.</summary>
    private void WriteBefore(long number)
    {
        int freed = 0;
        while (_ring.HasSealedBefore(number))
        {
            ThrowIfLetGo();
            LogPage page = _ring.AwaitOldest(_wakeServed);
            if (page.Count > 0)
            {
                _output.Write(page.HasFailedRecords ? page.WithoutWithdrawnBytes() : page);
            }

            long last = page.FirstSequence + page.Count - 1;
            _ring.Release();
            Volatile.Write(ref _written, last);
            Waiters.Complete(last);
            freed++;
            if (_ring.HasSealed && freed % _ring.WakeEvery == 0)
            {
                // Somebody may wait for memory; not for one page, which a hundred threads would fill at once and sleep again.
                Waiters.WakeEnded();
            }
        }
    }

    /// <summary>False where the records were dropped before they were waited for: others may stand where they stood.</summary>
    private bool TryWithdraw(LogWaiter waiter)
    {
        // A batch is in one page, so it is written as a whole or not at all.
        if (waiter.OwnRecords > 0 && _output.RecordHeaderBytes > 0)
        {
            if (waiter.Place.Epoch != _ring.Epoch)
            {
                return false;
            }

            waiter.Place.Page.Withdraw(waiter.Place, waiter.OwnRecords);
        }

        return true;
    }
}
