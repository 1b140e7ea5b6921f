using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// Performs asynchronous transfers through a ring that every thread may enter. A thread submits its own operations; operations that
/// continuations start are gathered, and submitted with the wait that follows. While continuations take long and few operations are in
/// flight, a transfer is a blocking call on a pool thread. The other part of the class takes completions and runs continuations.
/// </summary>
/// <remarks>
/// <see cref="TryStart"/> creates the ring and its thread. If the kernel later refuses the ring, operations that it has not accepted use the
/// pool, as do all later ones; the others are waited for.
/// </remarks>
internal sealed partial class UringEngine : IoEngine
{
    private readonly CompletionDuty _duty = new(Tuning.LongContinuationMicroseconds * Stopwatch.Frequency / 1_000_000);
    private readonly CompletionThread _completionThread;
    private RingEntries _entries = null!;
    private Ring _ring = null!;
    private bool _isStarted;

    public UringEngine() => _completionThread = new CompletionThread(this, _duty);

    public override string Name => BlocksThreads ? ThreadPoolEngine.Instance.Name : "uring";

    /// <summary>The role of completing, for metrics and tests.</summary>
    public CompletionDuty Duty => _duty;

    /// <summary>True if the ring is refused.</summary>
    internal override bool BlocksThreads => Volatile.Read(ref _isStarted) && _entries.Refusal != 0;

    /// <summary>
    /// Creates the ring and starts its completion thread, unless this has been done. Returns false, with the reason in one line, if that is
    /// refused.
    /// </summary>
    public bool TryStart([NotNullWhen(false)] out string? reason)
    {
        reason = null;
        if (Volatile.Read(ref _isStarted))
        {
            return true;
        }

        Ring? ring = Ring.TryCreate(Tuning.RingEntries, Tuning.RingCompletions, SetupFlags.SubmitAll, out int errno);
        if (ring is null)
        {
            reason = RingProbe.Explain(-errno);
            return false;
        }

        _ring = ring;
        _entries = new RingEntries(ring, _duty, _completionThread);
        _take = ring.Take;
        try
        {
            _completionThread.Start();
        }
        catch (Exception e) when (e is OutOfMemoryException or ThreadStartException)
        {
            ring.Dispose();
            reason = $"no thread can be made to take a ring's completions ({e.Message})";
            return false;
        }

        Volatile.Write(ref _isStarted, true);
        return true;
    }

    /// <summary>
    /// Requests that the kernel cancel an operation, or removes it from the backlog. Its completion follows nevertheless, and only then is
    /// its memory free.
    /// </summary>
    public void Cancel(IoOperation operation)
    {
        using (_entries.EnterLock())
        {
            if (operation.RingUserData != 0)
            {
                _entries.Cancel(operation);
            }
            else if (Backlog.TryRemove(operation))
            {
                _entries.CancelLater(operation);
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
            SubmitAsCall(operation);
            return;
        }

        if (!Volatile.Read(ref _isStarted))
        {
            SluiceEngines.Start();
            IoEngine engine = SluiceEngines.Ring;
            if (engine.BlocksThreads)
            {
                SubmitAsCall(operation);
            }
            else
            {
                engine.Submit(operation);
            }

            return;
        }

        // An operation that a continuation starts uses the ring that runs the continuation; otherwise, the processor selects the ring.
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
        if (operation.CanBeBlockingCall && _duty.PrefersCalls(Environment.TickCount64) && HasPoolThreads)
        {
            operation.Ring = null;
            operation.MeasuredBy = this;
            operation.BecomeCall();
            long begin = Stopwatch.GetTimestamp();
            operation.QueueTransfer(preferLocal: true);
            turn?.NoteSubmission(begin);
        }
        else if (!TrySubmit(operation, turn))
        {
            SubmitAsCall(operation);
        }
    }

    private static void SubmitAsCall(IoOperation operation)
    {
        operation.Ring = null;
        operation.BecomeCall();
        ThreadPoolEngine.Instance.Submit(operation);
    }

    /// <summary>
    /// Adds the operation to the ring or its backlog; if another thread has the submission lock, that thread does. Returns false if the ring
    /// is refused. Otherwise, the operation may have ended, and may be in use for another call, when this method returns.
    /// </summary>
    private bool TrySubmit(IoOperation operation, DutyTurn? turn)
    {
        operation.Ring = this;
        if (!_entries.TryEnterLock(operation, turn, out RingEntries.LockScope scope))
        {
            return true;
        }

        using (scope)
        {
            if (_entries.Refusal != 0)
            {
                return false;
            }

            // The token is checked again: from now on a cancellation finds the operation under this lock.
            if (operation.IsCancellationRequested)
            {
                _entries.CancelLater(operation);
                return true;
            }

            if (_entries.QueueOrKeep(operation) && (turn is null || !_duty.Gathers(turn, _entries.Entering > 0)))
            {
                long begin = turn is null ? 0 : Stopwatch.GetTimestamp();
                _entries.Submit();
                turn?.NoteSubmission(begin);
            }

            _entries.EndIdle();
            return true;
        }
    }
}
