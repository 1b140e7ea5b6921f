using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// Appends of many threads to one descriptor: one thread at a time writes, and takes the appends of all who wait with it in one call.
/// Each append stays whole, because one call appends all of it or, on a full disk, ends behind it.
/// </summary>
internal sealed unsafe class AppendCombiner(AppendTarget target)
{
    private const int MostCombined = 64;
    private const int Spins = 60;

    private AppendRequest? _head;
    private int _busy;

    /// <summary>Appends all of a buffer that is not empty; where it landed, or a negative errno. Blocks. Thread-safe.</summary>
    public long Append(ReadOnlySpan<byte> buffer)
    {
        AppendRequest request = AppendRequest.ForThisThread;
        fixed (byte* p = buffer)
        {
            // The request names our pinned memory until it is done: this method does not leave before.
            request.Begin((nint)p, buffer.Length);
            Push(request);
            while (true)
            {
                if (request.IsDone || TryServe())
                {
                    return request.Result;
                }

                SpinWait spin = default;
                for (int i = 0; i < Spins && !request.IsDone && Volatile.Read(ref _busy) != 0; i++)
                {
                    spin.SpinOnce(sleep1Threshold: -1);
                }

                if (request.IsDone || Volatile.Read(ref _busy) == 0 || !request.TryPark())
                {
                    continue;
                }

                // Parked now, by a full fence: either the thread that serves sees that when it leaves, or it has left already.
                if (Volatile.Read(ref _busy) == 0)
                {
                    request.Unpark();
                    continue;
                }

                request.Sleep();
            }
        }
    }

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

    /// <summary>Serves all who wait, if nobody else does; true when the caller's own request was certainly among them.</summary>
    private bool TryServe()
    {
        if (Volatile.Read(ref _busy) != 0 || Interlocked.CompareExchange(ref _busy, 1, 0) != 0)
        {
            return false;
        }

        Serve();

        // Full fence: whoever pushed and found us busy is seen below, or sees that we have left.
        Interlocked.Exchange(ref _busy, 0);
        for (AppendRequest? waiting = Volatile.Read(ref _head); waiting is not null; waiting = waiting.Next)
        {
            if (waiting.TryRetry())
            {
                break;
            }
        }

        return true;
    }

    private void Serve()
    {
        // Newest first in the stack, oldest first into the file.
        AppendRequest? taken = Interlocked.Exchange(ref _head, null);
        AppendRequest? first = null;
        while (taken is not null)
        {
            AppendRequest? next = taken.Next;
            taken.Next = first;
            first = taken;
            taken = next;
        }

        while (first is not null)
        {
            first = ServeGroup(first);
        }
    }

    /// <summary>One call for up to <see cref="MostCombined"/> requests; returns the first that is left.</summary>
    private AppendRequest? ServeGroup(AppendRequest first)
    {
        Iovec* segments = stackalloc Iovec[MostCombined];
        int count = 0;
        long total = 0;
        AppendRequest? end = first;
        while (end is not null && count < MostCombined && (count == 0 || total + end.Length <= SluiceHandle.MostBytesPerTransfer))
        {
            segments[count].Base = (byte*)end.Address;
            segments[count].Len = (nuint)end.Length;
            total += end.Length;
            count++;
            end = end.Next;
        }

        int written = target.Write(segments, count, out long offset);
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
