using Sluice.Buffers;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// Copies ranges of one file into another with several requests outstanding, on one thread and a ring of its own: each read, when it
/// completes, is written from the same buffer, and each write, when it completes, makes way for the next read.
/// </summary>
internal sealed unsafe class CopyRing : IDisposable
{
    private const uint MostEntries = 128;

    private readonly Ring _ring;
    private readonly AlignedBuffer _memory;
    private readonly Slot[] _slots;
    private readonly int _blockBytes;
    private int _inFlight;

    private CopyRing(Ring ring, int depth, int blockBytes)
    {
        _ring = ring;
        _blockBytes = blockBytes;
        _slots = new Slot[depth];
        _memory = new AlignedBuffer(depth * blockBytes);

        // A last block is written to its border before it is cut: a copy that is killed between must not show what was in this memory.
        _memory.Span.Clear();
    }

    /// <summary>Null and a negative errno where there is no ring. Belongs to the thread that makes it.</summary>
    public static CopyRing? TryCreate(int depth, int blockBytes, out int errno)
    {
        SetupFlags flags = SetupFlags.SubmitAll
            | (RingProbe.Current.SupportsDeferTaskrun ? SetupFlags.SingleIssuer | SetupFlags.DeferTaskrun : SetupFlags.None);
        return Ring.TryCreate(MostEntries, MostEntries * 2, flags, out errno) is { } ring ? new CopyRing(ring, depth, blockBytes) : null;
    }

    /// <summary>
    /// Copies one range; 0, or a negative errno: -EPIPE stands for a source that ends before <paramref name="sourceLength"/>. Nothing
    /// is in flight when this returns.
    /// </summary>
    /// <param name="fromFd">The source.</param>
    /// <param name="toFd">The target.</param>
    /// <param name="begin">A multiple of the alignment.</param>
    /// <param name="end">Where the range ends, in bytes.</param>
    /// <param name="sourceLength">The length of the source; what is written behind it in its last block is cut off by the caller.</param>
    /// <param name="alignment">What the length of a request must be a multiple of.</param>
    /// <param name="copied">Told how many bytes each write has added.</param>
    /// <param name="cancellationToken">Ends the copy with -ECANCELED.</param>
    public int Run(
        int fromFd, int toFd, long begin, long end, long sourceLength, int alignment, Action<long> copied, CancellationToken cancellationToken)
    {
        long next = begin;
        int error = 0;
        Span<IoUringCqe> cqes = stackalloc IoUringCqe[64];
        for (int i = 0; i < _slots.Length && next < end; i++)
        {
            next = StartRead(i, fromFd, next, end, alignment);
        }

        while (_inFlight > 0)
        {
            int result = _ring.SubmitAndWait(1);
            if (result < 0 && !Ring.IsPassing(result))
            {
                // Requests may be in flight with memory that would be freed by an exception.
                Environment.FailFast($"io_uring_enter failed with errno {-result}.");
            }

            error = error == 0 && cancellationToken.IsCancellationRequested ? -Errno.ECANCELED : error;
            int taken;
            while ((taken = _ring.Take(cqes)) > 0)
            {
                foreach (ref readonly IoUringCqe cqe in cqes[..taken])
                {
                    _inFlight--;
                    int index = (int)cqe.UserData;
                    int step = error != 0 ? error : Advance(index, cqe.Res, fromFd, toFd, sourceLength, alignment);
                    if (step < 0)
                    {
                        error = error == 0 ? step : error;
                    }
                    else if (step > 0)
                    {
                        copied(Math.Min(step, sourceLength - _slots[index].Offset));
                        if (next < end)
                        {
                            next = StartRead(index, fromFd, next, end, alignment);
                        }
                    }
                }
            }
        }

        return error;
    }

    public void Dispose()
    {
        _ring.Dispose();
        GC.KeepAlive(_memory);
    }

    private static int RoundUp(long length, int alignment) => (int)((length + alignment - 1) / alignment * alignment);

    private long StartRead(int index, int fromFd, long next, long end, int alignment)
    {
        ref Slot slot = ref _slots[index];
        slot.Offset = next;
        slot.Wanted = (int)Math.Min(_blockBytes, end - next);
        slot.Length = RoundUp(slot.Wanted, alignment);
        slot.Done = 0;
        slot.IsWriting = false;
        Submit(index, fromFd);
        return next + slot.Wanted;
    }

    /// <summary>Takes a completion: 0 when the slot goes on, the bytes of the block when it is written, else a negative errno.</summary>
    private int Advance(int index, int result, int fromFd, int toFd, long sourceLength, int alignment)
    {
        ref Slot slot = ref _slots[index];
        if (result is -Errno.EINTR or -Errno.EAGAIN)
        {
            Submit(index, slot.IsWriting ? toFd : fromFd);
            return 0;
        }

        if (result < 0)
        {
            return result;
        }

        slot.Done += result;
        int needed = slot.IsWriting ? slot.Length : (int)Math.Min(slot.Length, sourceLength - slot.Offset);
        if (slot.Done < needed)
        {
            // A transfer that ends between blocks can only be taken up again at a block's border.
            int before = slot.Done - result;
            slot.Done = slot.Done / alignment * alignment;
            if (slot.Done <= before)
            {
                return slot.IsWriting ? -Errno.EIO : CopyErrors.SourceEnded;
            }

            Submit(index, slot.IsWriting ? toFd : fromFd);
            return 0;
        }

        if (slot.IsWriting)
        {
            return slot.Wanted;
        }

        slot.IsWriting = true;
        slot.Done = 0;
        Submit(index, toFd);
        return 0;
    }

    private void Submit(int index, int fd)
    {
        ref Slot slot = ref _slots[index];
        IoUringSqe* entry = _ring.TryTake();
        byte* buffer = (byte*)_memory.Address + ((long)index * _blockBytes) + slot.Done;
        uint length = (uint)(slot.Length - slot.Done);
        if (slot.IsWriting)
        {
            Prep.Write(entry, fd, buffer, length, slot.Offset + slot.Done, RwFlags.None, (ulong)index);
        }
        else
        {
            Prep.Read(entry, fd, buffer, length, slot.Offset + slot.Done, RwFlags.None, (ulong)index);
        }

        _inFlight++;
    }

    private struct Slot
    {
        public long Offset;
        public int Wanted;
        public int Length;
        public int Done;
        public bool IsWriting;
    }
}
