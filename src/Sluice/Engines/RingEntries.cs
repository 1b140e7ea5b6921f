using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// What goes into a ring: operations with their slots, the backlog of those that find no room, requests to cancel, wakers. Also the
/// refusal after which nothing goes in any more.
/// </summary>
/// <remarks>All of it is for who has <see cref="Hold"/>, the submission lock, unless a member says something else.</remarks>
internal sealed class RingEntries(Ring ring, CompletionDuty duty)
{
    /// <summary>User data of entries that are no operations, requests to cancel and wakers: no slot has this low half.</summary>
    public const ulong ExtraUserData = 0x7FFF_FFFF_FFFF_FFFF;

    private readonly Lock _gate = new();
    private readonly Queue<ulong> _cancels = new();
    private int _refusal;
    private bool _isRefusalToTell;

    /// <summary>What is to be completed as cancelled by the pool, linked by Next: queued there when the lock is free again.</summary>
    private IoOperation? _cancelled;

    // Races between threads lose a count, nothing else.
    private int _submissions;
    private int _contended;

    public SlotTable Slots { get; } = new((int)ring.CqEntries - Tuning.MaxExtras);

    public Backlog Backlog { get; } = new();

    /// <summary>Requests to cancel and wakers in the ring.</summary>
    public int Extras { get; set; }

    /// <summary>Threads that show entries to the kernel without the lock.</summary>
    public int Entering { get; set; }

    /// <summary>The kernel had no memory: what is queued must be tried again. May be read without the lock.</summary>
    public bool IsStarved { get; private set; }

    /// <summary>
    /// The negative errno with which the kernel has refused to be entered; 0 while it has not. May be read without the lock.
    /// </summary>
    public int Refusal => Volatile.Read(ref _refusal);

    /// <summary>
    /// Once in a while: is the submission lock others' so often that they need a ring of their own? To be called without it.
    /// </summary>
    public void LookForContention()
    {
        if ((++_submissions & Tuning.ContentionSample) != 0)
        {
            return;
        }

        bool isTaken = !_gate.TryEnter();
        LockLooks.Note(isTaken);
        if (!isTaken)
        {
            _gate.Exit();
            _contended -= _contended >> 4;
        }
        else if ((_contended += Tuning.ContentionStep) > Tuning.MaxContention)
        {
            _contended = 0;
            SluiceEngines.Grow();
        }
    }

    /// <summary>
    /// The submission lock, until what this gives is disposed of. Nothing that may wait for memory, for others' locks or for the pool is
    /// done under it: that follows when it is free.
    /// </summary>
    public Held Hold() => new(this, _gate.EnterUninterrupted());

    /// <summary>Completes on the pool what never went in.</summary>
    public void CancelSoon(IoOperation operation)
    {
        operation.Next = _cancelled;
        _cancelled = operation;
    }

    /// <summary>Asks for an operation in the ring to be cancelled.</summary>
    public void Cancel(ulong target)
    {
        try
        {
            Seam.Memory();
            _cancels.Enqueue(target);
        }
        catch (OutOfMemoryException)
        {
            // At once, by a call that takes none of ours.
            _ = ring.Cancel(target);
            return;
        }

        QueueCancels();
        Enter();
    }

    /// <summary>Why the kernel will not be entered any more, for a negative errno.</summary>
    public static string Explain(int errno) => -errno is Errno.EPERM or Errno.EACCES
        ? $"io_uring_enter was refused after rings had been in use ({(errno == -Errno.EPERM ? "EPERM" : "EACCES")}: "
            + "a seccomp filter or a security module)"
        : $"io_uring_enter failed after rings had been in use (errno {-errno})";

    public bool TryQueue(IoOperation operation)
    {
        if (Slots.IsFull)
        {
            return false;
        }

        // Before it is encoded: a leader may show it to the kernel at once.
        operation.NoteTaken();
        ulong userData = Slots.NextUserData();
        if (!OperationEncoder.TryEncode(ring, operation, userData))
        {
            Enter();
            if (Refusal != 0 || !OperationEncoder.TryEncode(ring, operation, userData))
            {
                return false;
            }
        }

        Slots.Add(operation, userData);
        duty.Enter();
        return true;
    }

    /// <summary>Queues the requests to cancel that there is room for; the others follow when completions have been taken.</summary>
    public void QueueCancels()
    {
        while (Extras < Tuning.MaxExtras && _cancels.TryPeek(out ulong target)
            && OperationEncoder.TryEncodeCancel(ring, target, ExtraUserData))
        {
            Extras++;
            _cancels.Dequeue();
        }
    }

    /// <summary>An entry that completes at once and so ends a wait in the kernel; needless where others are about to complete.</summary>
    public void TryQueueWaker()
    {
        if (Refusal == 0 && Extras < Tuning.MaxExtras && OperationEncoder.TryEncodeNop(ring, ExtraUserData))
        {
            Extras++;
        }
    }

    /// <summary>Moves the backlog up, as far as there are slots.</summary>
    public void QueueBacklog()
    {
        while (Backlog.First is { } operation)
        {
            if (!operation.IsCancellationRequested && !TryQueue(operation))
            {
                return;
            }

            _ = Backlog.TryRemove(operation);
            if (operation.IsCancellationRequested && operation.RingUserData == 0)
            {
                CancelSoon(operation);
            }
        }
    }

    public void Enter()
    {
        if (Refusal == 0)
        {
            AfterEnter(ring.Submit());
        }
    }

    /// <summary>Hands over what is queued. To be called without the lock.</summary>
    public void HandOver()
    {
        using (Hold())
        {
            if (ring.Pending > 0)
            {
                Enter();
            }
        }
    }

    public void AfterEnter(int result)
    {
        if (result < 0 && !Ring.IsPassing(result))
        {
            Refuse(result);
            return;
        }

        // No memory at this moment, or completions to be taken first: the entries stay queued, and whoever waits tries again. The kernel
        // may also have run out of memory behind the first entries: their count then hides the refusal.
        IsStarved = ring.Pending > 0;
    }

    /// <summary>
    /// The kernel will not be entered any more. What it has not taken is tried again, by the pool; what it has will complete, and the
    /// completion thread sees that without entering.
    /// </summary>
    public void Refuse(int errno)
    {
        if (Refusal == 0)
        {
            Volatile.Write(ref _refusal, errno);
            duty.Refuse();
            _isRefusalToTell = true;
        }

        _cancels.Clear();
        while (Backlog.First is { } waiting)
        {
            _ = Backlog.TryRemove(waiting);
            CancelSoon(waiting);
        }

        if (Entering > 0)
        {
            // A leader is showing entries to the kernel at this moment: it does the rest when it is back.
            return;
        }

        while (ring.TryTakeBackUnused(out ulong userData))
        {
            if (userData == ExtraUserData)
            {
                Extras--;
                continue;
            }

            IoOperation operation = Slots.Empty(userData);
            Slots.Free(userData);
            duty.Exit();
            CancelSoon(operation);
        }
    }

    /// <summary>What was left for the time when the lock is free; without it.</summary>
    private static void Follow(IoOperation? cancelled, int refusal)
    {
        if (refusal != 0)
        {
            try
            {
                SluiceEngines.Refuse(Explain(refusal));
            }
            catch (OutOfMemoryException)
            {
                // The reason is not told: whoever submits goes to the pool without it.
            }
        }

        while (cancelled is not null)
        {
            IoOperation operation = cancelled;
            cancelled = operation.Next;
            operation.Next = null;
            operation.MakeWay();
            operation.QueueCancelled();
        }
    }

    /// <summary>Has the submission lock.</summary>
    public readonly ref struct Held
    {
        private readonly RingEntries _entries;
        private readonly Lock.Scope _scope;

        public Held(RingEntries entries, Lock.Scope scope)
        {
            _entries = entries;
            _scope = scope;
        }

        public void Dispose()
        {
            IoOperation? cancelled = _entries._cancelled;
            int refusal = _entries._isRefusalToTell ? _entries.Refusal : 0;
            if (cancelled is null && refusal == 0)
            {
                _scope.Dispose();
                return;
            }

            _entries._cancelled = null;
            _entries._isRefusalToTell = false;
            _scope.Dispose();
            Follow(cancelled, refusal);
        }
    }
}
