using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// Public asynchronous transfers by one ring that every thread may enter. A caller's thread submits by itself; what continuations
/// submit is gathered and goes in with the wait that follows them. Who waits, and who runs what follows, is <see cref="CompletionDuty"/>'s
/// to say and stands in the other part. While continuations take long and operations are few, a transfer is a call on a pool thread.
/// </summary>
/// <remarks>
/// The ring and its thread are made by <see cref="TryStart"/>. Should the kernel refuse the ring later, what it has not taken goes to
/// the pool, what it has is waited for, and all that follows is the pool's.
/// </remarks>
internal sealed partial class UringEngine : IoEngine
{
    private readonly CompletionDuty _duty = new(Tuning.LongContinuationMicroseconds * Stopwatch.Frequency / 1_000_000);
    private readonly CompletionThread _watcher;
    private RingEntries _entries = null!;
    private Ring _ring = null!;
    private bool _isServing;

    public UringEngine() => _watcher = new CompletionThread(this, _duty);

    public override string Name => BlocksThreads ? ThreadPoolEngine.Instance.Name : "uring";

    /// <summary>What is in flight, and who waits for it; for those who look on.</summary>
    public CompletionDuty Duty => _duty;

    /// <summary>What the kernel lets its workers be, for each thread that submits; negative where it does not say.</summary>
    public int MaxWorkers => _ring.LimitWorkers(0, 0, out _, out uint unbounded) < 0 ? -1 : (int)unbounded;

    /// <summary>The ring is refused.</summary>
    internal override bool BlocksThreads => Volatile.Read(ref _isServing) && _entries.Refusal != 0;

    /// <summary>
    /// Sets the ring up and starts its completion thread, unless it has them; false, with the reason in one line, where that is refused.
    /// </summary>
    /// <exception cref="OutOfMemoryException">Nothing was made.</exception>
    public bool TryStart([NotNullWhen(false)] out string? reason)
    {
        reason = null;
        if (Volatile.Read(ref _isServing))
        {
            return true;
        }

        if (!RingStart.TryMake(_duty, _watcher, out Ring? ring, out RingEntries? entries, out int errno))
        {
            reason = RingProbe.Explain(-errno);
            return false;
        }

        (_ring, _entries) = (ring, entries);
        try
        {
            _take = ring.Take;
            _watcher.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            ring.Dispose();
            reason = $"no thread can be made to take a ring's completions ({e.Message})";
            return false;
        }

        Volatile.Write(ref _isServing, true);
        return true;
    }

    /// <summary>Has everything that follows go to the pool, and the thread end when nothing is in flight.</summary>
    public void Stop()
    {
        if (!Volatile.Read(ref _isServing))
        {
            return;
        }

        using (_entries.Hold())
        {
            if (_entries.Refusal != 0)
            {
                // The thread ends by itself, and the ring may be closed already.
                return;
            }

            // Out of its wait in the kernel, while that can still be entered.
            _entries.TryQueueWaker();
            _entries.Enter();
            _entries.Refuse(-Errno.ECANCELED);
        }

        _watcher.Wake();
    }

    /// <summary>Asks the kernel to cancel an operation; its completion still comes, and only then is its memory free.</summary>
    public void Cancel(IoOperation operation)
    {
        using (_entries.Hold())
        {
            ulong target = operation.RingUserData;
            if (target == 0)
            {
                // Not in the ring: Submit looks at the request itself; the backlog may wait for long.
                if (_entries.Backlog.TryRemove(operation))
                {
                    _entries.CancelSoon(operation);
                }
            }
            else if (_entries.Refusal != 0)
            {
                // A refusal to enter need not be one to register. Else the operation ends by itself.
                _ = _ring.Cancel(target);
            }
            else
            {
                _entries.Cancel(target);
            }
        }
    }

    internal override void Submit(IoOperation operation)
    {
        if (operation.NeedsBlocking || operation.LeavesRing || operation.IsSynchronous)
        {
            operation.Ring = null;
            ThreadPoolEngine.Instance.Submit(operation);
            return;
        }

        if (operation.BlocksSubmitter)
        {
            operation.Ring = null;
            operation.BecomeCall();
            ThreadPoolEngine.Instance.Submit(operation);
            return;
        }

        if (!Volatile.Read(ref _isServing))
        {
            SubmitFirst(operation);
            return;
        }

        // What a continuation submits stays with the ring that runs it, and is gathered there; else the processor chooses.
        UringEngine ring = t_turn?.Engine ?? SluiceEngines.RingOfProcessor(this);
        ring.SubmitHere(operation);
    }

    private void SubmitHere(IoOperation operation)
    {
        if (operation.IsCancellationRequested)
        {
            operation.QueueCancelled();
            return;
        }

        DutyTurn? turn = t_turn is { } mine && mine.Engine == this ? mine : null;
        if (operation.IsPlainCall && _duty.PrefersCalls(Environment.TickCount64) && HasPoolThreads)
        {
            operation.Ring = null;
            operation.Meter = this;
            operation.BecomeCall();
            long begin = Stopwatch.GetTimestamp();
            operation.QueueTransfer(preferLocal: true);
            turn?.NoteSubmission(begin);
        }
        else if (!TrySubmit(operation, turn))
        {
            operation.Ring = null;
            operation.BecomeCall();
            ThreadPoolEngine.Instance.Submit(operation);
        }
    }

    /// <summary>
    /// Into the ring or its backlog, by whoever has the submission lock; false where the ring is refused. Afterwards the operation may be
    /// another one's.
    /// </summary>
    private bool TrySubmit(IoOperation operation, DutyTurn? turn)
    {
        operation.Ring = this;
        if (!_entries.TryHold(operation, turn, out RingEntries.Held held))
        {
            return true;
        }

        using (held)
        {
            if (_entries.Refusal != 0)
            {
                return false;
            }

            // Again: from here on a request to cancel finds it under this lock.
            if (operation.IsCancellationRequested)
            {
                _entries.CancelSoon(operation);
                return true;
            }

            if (_entries.QueueOrKeep(operation) && (turn is null || !_duty.Gathers(turn, _entries.Entering > 0)))
            {
                long begin = turn is null ? 0 : Stopwatch.GetTimestamp();
                _entries.Enter();
                turn?.NoteSubmission(begin);
            }

            _entries.LeaveIdle();
            return true;
        }
    }

    private static void SubmitFirst(IoOperation operation)
    {
        IoEngine engine = SluiceEngines.StartOrPool();
        if (engine.BlocksThreads)
        {
            // It keeps nobody out while it waits for a thread.
            operation.BecomeCall();
        }

        engine.Submit(operation);
    }
}
