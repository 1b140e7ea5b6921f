using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>
/// Appends of many threads to one descriptor: one thread at a time leads, and writes the appends of all who wait with it in one call.
/// Each append stays whole, because one call appends all of it or, on a full disk, ends behind it.
/// </summary>
/// <remarks>
/// Invariant: while a request is in the stack or among those that sleep, either somebody leads, who looks there before leaving, or a thread
/// is awake, or about to be, that looks. Spins, waits and yields were measured with 64 threads on two cores, who is woken and when on
/// sixteen (docs/decisions/0008-batches-and-appends.md).
/// </remarks>
internal sealed unsafe class AppendCombiner(AppendTarget target, SafeHandle file) : IDisposable
{
    /// <summary>The result of an append whose handle was closed before it was written.</summary>
    public const long Closed = long.MinValue;

    private const int MaxCombined = Tuning.AppendCombinerMaxCombined;

    /// <summary>About 7 us: longer than a call with two records takes.</summary>
    private const int WaitSpins = Tuning.AppendCombinerWaitSpins;

    private const int WaitYields = Tuning.AppendCombinerWaitYields;

    /// <summary>About 0.3 us: what a thread that has just been served takes to come back with its next record.</summary>
    private const int CompanionSpins = Tuning.AppendCombinerCompanionSpins;

    /// <summary>For so many calls after two threads were seen at once, company is waited for.</summary>
    private const int CompanionMemory = Tuning.AppendCombinerCompanionMemory;

    private readonly AppendSleepers _sleepers = new();
    private AppendRequest? _head;
    private int _busy;
    private int _companyExpected;

    /// <summary>The thread that leads, which must not wait for itself.</summary>
    private int _leader;

    /// <summary>Closes what appending opened; the file itself is its owner's.</summary>
    public void Dispose() => target.Dispose();

    /// <summary>Appends all of a buffer that is not empty. Blocks. Thread-safe.</summary>
    /// <param name="buffer">Read by whoever leads, until this method returns.</param>
    /// <param name="isHeld">Whether the caller holds a reference to the file; without one the leader takes it for the call.</param>
    /// <returns>Where it landed, a negative errno, or <see cref="Closed"/>.</returns>
    public long Append(ReadOnlySpan<byte> buffer, bool isHeld)
    {
        if (_leader == Environment.CurrentManagedThreadId)
        {
            return AppendWithin(buffer, isHeld);
        }

        AppendRequest request = AppendRequest.Rent();
        long result = WriteOrWait(request, buffer, isHeld);
        request.Return();
        return result;
    }

    private long WriteOrWait(AppendRequest request, ReadOnlySpan<byte> buffer, bool isHeld)
    {
        fixed (byte* p = buffer)
        {
            // The request names our pinned memory until it is done: this method does not leave before.
            request.Begin((nint)p, buffer.Length, isHeld);
            if (TryEnter())
            {
                Lead(isHeld, own: request);
                return request.Result;
            }

            Push(request);
            // Whoever left before they could see the push has made way for us.
            bool leads = TryEnter();
            bool slept = false;
            while (!leads)
            {
                AppendState state = Await(request, ref slept);
                if (state == AppendState.Done)
                {
                    if (slept && _sleepers.IsDue && TryEnter())
                    {
                        // Whoever served us saw that we were to be woken, and left the others who sleep to us.
                        Leave(isHeld);
                    }

                    return request.Result;
                }

                leads = state == AppendState.Leads || TryEnter();
            }

            Lead(isHeld, own: null);
            return request.Result;
        }
    }

    /// <summary>
    /// Appends from within a lead of this thread: by a handler of AppDomain.FirstChanceException, which .NET runs where an exception is
    /// thrown.
    /// </summary>
    private long AppendWithin(ReadOnlySpan<byte> buffer, bool isHeld)
    {
        if (!isHeld && (file.IsClosed || !TryHold()))
        {
            return Closed;
        }

        fixed (byte* p = buffer)
        {
            long landed = AppendRest(p, buffer.Length, 0, -1);
            if (!isHeld)
            {
                file.DangerousRelease();
            }

            return landed;
        }
    }

    private bool TryEnter() => Volatile.Read(ref _busy) == 0 && Interlocked.CompareExchange(ref _busy, 1, 0) == 0;

    private void Push(AppendRequest request)
    {
        AppendRequest? head;
        do
        {
            head = Volatile.Read(ref _head);
            request.Next = head;
        }
        while (Interlocked.CompareExchange(ref _head, request, head) != head);
    }

    /// <summary>Done, Leads, or Waiting: to look again whether somebody leads.</summary>
    private AppendState Await(AppendRequest request, ref bool slept)
    {
        // Only its own state is looked at, so that the leader's words stay in the leader's cache.
        for (int i = 0; i < WaitSpins; i++)
        {
            if (request.State != AppendState.Waiting)
            {
                return request.State;
            }

            Thread.SpinWait(1);
        }

        // The leader may have lost its core to us.
        for (int i = 0; i < WaitYields; i++)
        {
            if (request.State != AppendState.Waiting)
            {
                return request.State;
            }

            Thread.Yield();
        }

        if (request.TryPark())
        {
            request.Sleep();
            _sleepers.NoteAwake();
            slept = true;
        }

        return request.State;
    }

    /// <summary>
    /// Writes for all who wait awake, and for those who sleep and whose turn it is. On return the caller's request is done, and somebody
    /// else leads or nobody waits.
    /// </summary>
    /// <param name="isHeld">Whether the caller holds a reference to the file.</param>
    /// <param name="own">A request of the caller's that never was in the stack; else it was done before, or is there.</param>
    private void Lead(bool isHeld, AppendRequest? own)
    {
        AwaitCompany(own is null ? 2 : 1);
        AppendRequest? first = TakeAll(own);
        _companyExpected = first?.Next is null ? Math.Max(0, _companyExpected - 1) : CompanionMemory;
        Serve(first, isHeld);
        Leave(isHeld);
    }

    private void Serve(AppendRequest? first, bool isHeld)
    {
        _leader = Environment.CurrentManagedThreadId;
        bool isHeldHere = !isHeld && TryHold();
        if (!isHeld && !isHeldHere)
        {
            first = RefuseThoseWithoutReference(first);
        }

        while (first is not null)
        {
            first = ServeGroup(first);
        }

        if (isHeldHere)
        {
            file.DangerousRelease();
        }

        _leader = 0;
    }

    /// <summary>Threads that append in a loop come back together: a call for two costs little more than a call for one.</summary>
    private void AwaitCompany(int count)
    {
        if (_companyExpected == 0)
        {
            return;
        }

        for (int i = 0; i < CompanionSpins; i++)
        {
            // Next is set before the push and not changed by anybody but the leader.
            AppendRequest? head = Volatile.Read(ref _head);
            if (count == 1 ? head is not null : head?.Next is not null)
            {
                return;
            }

            Thread.SpinWait(1);
        }
    }

    private AppendRequest? TakeAll(AppendRequest? own)
    {
        AppendRequest? first = _sleepers.Choose(Volatile.Read(ref _head) is null ? null : Interlocked.Exchange(ref _head, null));
        if (own is null)
        {
            return first;
        }

        own.Next = first;
        return own;
    }

    private bool TryHold()
    {
        try
        {
            OpenFile.Reference.Take(file);
            return true;
        }
        catch (ObjectDisposedException)
        {
            return false;
        }
    }

    /// <summary>A closed handle's descriptor lives only as long as requests that hold it are not done; the others are refused.</summary>
    private static AppendRequest? RefuseThoseWithoutReference(AppendRequest? request)
    {
        AppendRequest? held = null;
        AppendRequest? last = null;
        while (request is not null)
        {
            // Read before Complete: afterwards the object is its thread's again.
            AppendRequest? next = request.Next;
            if (!request.IsHeld)
            {
                request.Complete(Closed);
            }
            else
            {
                request.Next = null;
                held ??= request;
                if (last is not null)
                {
                    last.Next = request;
                }

                last = request;
            }

            request = next;
        }

        return held;
    }

    /// <summary>Hands over to one who waits awake, else wakes one, else nobody waits whom nobody is about to wake.</summary>
    private void Leave(bool isHeld)
    {
        do
        {
            if (Volatile.Read(ref _head) is { } next)
            {
                // Ours to write until somebody else leads. Two that take turns, each alone, would not find out otherwise.
                _companyExpected = CompanionMemory;
                if (next.TryMakeLeader())
                {
                    return;
                }

                // It sleeps, or has been woken before. While we lead nobody takes it from the stack.
                _ = next.TryRetry();
            }
            else if (_sleepers.IsDue)
            {
                Serve(_sleepers.Choose(null), isHeld);
            }

            // Full fence: whoever pushed, or woke up, and found us busy is seen below, or sees that we have left.
            Interlocked.Exchange(ref _busy, 0);
        }
        while (IsLeaderWanted() && TryEnter());
    }

    /// <summary>Whether somebody waits, and nobody who was woken is on the way to lead.</summary>
    private bool IsLeaderWanted() => Volatile.Read(ref _head) is { } newest ? newest.State != AppendState.Retry : _sleepers.IsDue;

    /// <summary>One call for up to <see cref="MaxCombined"/> requests; returns the first that is left.</summary>
    private AppendRequest? ServeGroup(AppendRequest first)
    {
        Iovec* segments = stackalloc Iovec[MaxCombined];
        int count = 0;
        long total = 0;
        AppendRequest? end = first;
        while (end is not null && count < MaxCombined && (count == 0 || total + end.Length <= OpenFile.MaxBytesPerTransfer))
        {
            segments[count].Base = (byte*)end.Address;
            segments[count].Len = (nuint)end.Length;
            total += end.Length;
            count++;
            end = end.Next;
        }

        long begin = _sleepers.Begin();
        int written = target.Write(segments, count, out long offset);
        _sleepers.End(begin, count);
        long left = Math.Max(written, 0);
        AppendRequest? request = first;
        while (request != end)
        {
            // Read before Complete: afterwards the object is its thread's again.
            AppendRequest? next = request!.Next;
            int length = request.Length;
            if (left >= length)
            {
                request.Complete(offset);
            }
            else if (written < 0)
            {
                request.Complete(written);
            }
            else
            {
                // Cut by the limit of one call or by a full disk: this one goes on, or fails, alone.
                request.Complete(AppendRest((byte*)request.Address, length, (int)left, offset));
            }

            offset += Math.Min(left, length);
            left = Math.Max(left - length, 0);
            request = next;
        }

        return end;
    }

    private long AppendRest(byte* address, int length, int done, long landed)
    {
        if (done == 0)
        {
            landed = -1;
        }

        while (done < length)
        {
            Iovec segment;
            segment.Base = address + done;
            segment.Len = (nuint)(length - done);
            int written = target.Write(&segment, 1, out long offset);
            if (written <= 0)
            {
                return written < 0 ? written : -Errno.EIO;
            }

            if (landed < 0)
            {
                landed = offset;
            }

            done += written;
        }

        return landed;
    }
}
