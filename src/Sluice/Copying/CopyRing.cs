using Sluice.Engines;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies ranges of one file into another with several requests outstanding, on one thread and a ring of its own: each read, when it
/// completes, is written from the same buffer, and each write, when it completes, makes way for the next read.
/// </summary>
internal sealed class CopyRing : BorrowedRing
{
    /// <summary>Pieces in flight of a copy, at most. No measurement.</summary>
    private const int MaxDepth = 128;

    private readonly AlignedBuffer _memory;
    private readonly Slot[] _slots = new Slot[MaxDepth];
    private Job _job;
    private long _next;
    private long _copied;
    private int _error;

    private CopyRing(Ring ring, AlignedBuffer memory)
        : base(ring) => _memory = memory;

    /// <summary>Null and a negative errno where there is no ring. Belongs to the thread that makes it.</summary>
    /// <param name="memory">Has room for every block of a run; nobody else uses it before the ring is disposed of.</param>
    /// <param name="errno">0, or why there is none.</param>
    public static CopyRing? TryCreate(AlignedBuffer memory, out int errno) =>
        TryCreate(MaxDepth, staysOnThread: true, ring => new CopyRing(ring, memory), out errno);

    /// <summary>
    /// Copies one range; 0, or a negative errno: <see cref="CopyErrors.SourceEnded"/> for a source that ends before
    /// <paramref name="sourceLength"/>. Nothing is in flight when this returns.
    /// </summary>
    /// <param name="fromFd">The source.</param>
    /// <param name="toFd">The target.</param>
    /// <param name="begin">A multiple of the alignment.</param>
    /// <param name="end">Where the range ends, in bytes.</param>
    /// <param name="sourceLength">The length of the source; what is written behind it in its last block is cut off by the caller.</param>
    /// <param name="alignment">What the length of a request must be a multiple of.</param>
    /// <param name="depth">The most requests outstanding.</param>
    /// <param name="blockBytes">Bytes of a request.</param>
    /// <param name="copied">Told how many bytes each write has added.</param>
    /// <param name="cancellationToken">Ends the copy with -ECANCELED.</param>
    public int Run(
        int fromFd,
        int toFd,
        long begin,
        long end,
        long sourceLength,
        int alignment,
        int depth,
        int blockBytes,
        Action<long> copied,
        CancellationToken cancellationToken)
    {
        _job = new Job(fromFd, toFd, end, sourceLength, alignment, blockBytes, cancellationToken);
        _next = begin;
        _error = 0;
        try
        {
            for (int i = 0; i < Math.Min(depth, MaxDepth) && _next < end; i++)
            {
                StartRead(i);
            }

            while (InFlight > 0)
            {
                _copied = 0;
                Wait(1);
                if (_copied > 0)
                {
                    copied(_copied);
                }
            }
        }
        catch
        {
            // Whoever is told of the progress may throw: nothing new begins then, and what is in flight ends.
            _error = -Errno.ECANCELED;
            Drain();
            throw;
        }

        return Refusal != 0 ? Refusal : _error;
    }

    protected override void OnCompleted(ulong userData, int result)
    {
        int index = (int)userData;
        if (_error == 0 && _job.CancellationToken.IsCancellationRequested)
        {
            _error = -Errno.ECANCELED;
        }

        int step = _error != 0 ? _error : Advance(index, result);
        if (step < 0)
        {
            _error = step;
        }
        else if (step > 0)
        {
            _copied += Math.Min(step, _job.SourceLength - _slots[index].Offset);
            if (_next < _job.End)
            {
                StartRead(index);
            }
        }
    }

    private void StartRead(int index)
    {
        ref Slot slot = ref _slots[index];
        slot.Offset = _next;
        slot.Wanted = (int)Math.Min(_job.BlockBytes, _job.End - _next);
        slot.Length = (slot.Wanted + _job.Alignment - 1) / _job.Alignment * _job.Alignment;
        slot.Done = 0;
        slot.IsWriting = false;
        Queue(index);
        _next += slot.Wanted;
    }

    /// <summary>Takes a completion: 0 when the slot goes on, the bytes of the block when it is written, else a negative errno.</summary>
    private int Advance(int index, int result)
    {
        ref Slot slot = ref _slots[index];
        if (result is -Errno.EINTR or -Errno.EAGAIN)
        {
            Queue(index);
            return 0;
        }

        if (result < 0)
        {
            return result;
        }

        slot.Done += result;
        int needed = slot.IsWriting ? slot.Length : (int)Math.Min(slot.Length, _job.SourceLength - slot.Offset);
        if (slot.Done < needed)
        {
            // A transfer that ends between blocks can only be taken up again at a block's border.
            int before = slot.Done - result;
            slot.Done = slot.Done / _job.Alignment * _job.Alignment;
            if (slot.Done <= before)
            {
                return slot.IsWriting ? -Errno.EIO : CopyErrors.SourceEnded;
            }

            Queue(index);
            return 0;
        }

        if (slot.IsWriting)
        {
            return slot.Wanted;
        }

        slot.IsWriting = true;
        slot.Done = 0;
        Queue(index);
        return 0;
    }

    private void Queue(int index)
    {
        ref Slot slot = ref _slots[index];
        nint address = _memory.Address + (index * _job.BlockBytes) + slot.Done;
        QueueTransfer(
            !slot.IsWriting, slot.IsWriting ? _job.ToFd : _job.FromFd, address, slot.Length - slot.Done, slot.Offset + slot.Done,
            RwFlags.None, (ulong)index);
    }

    private readonly record struct Job(
        int FromFd, int ToFd, long End, long SourceLength, int Alignment, int BlockBytes, CancellationToken CancellationToken);

    private struct Slot
    {
        public long Offset;
        public int Wanted;
        public int Length;
        public int Done;
        public bool IsWriting;
    }
}
