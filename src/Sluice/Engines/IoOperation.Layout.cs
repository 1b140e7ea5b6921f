using Sluice.Buffers;
using Sluice.Interop;

namespace Sluice;

/// <summary>How a submission lies in memory: straight, through a bounce buffer, or as segments; and which of them must block.</summary>
internal sealed partial class IoOperation
{
    /// <summary>Lays out the next submission from what is done so far.</summary>
    private void Prepare()
    {
        SluiceHandle handle = _handle!;
        FileOffset = handle.CanSeek && _startOffset >= 0 ? _startOffset + _done : -1;
        NeedsBlocking = false;
        IsFault = false;
        LeaveGate();
        switch (Verb)
        {
            case IoVerb.Flush or IoVerb.FlushData:
                return;
            case IoVerb.Append:
                NeedsBlocking = true;
                Address = _base;
                Length = (int)_total;
                return;
            case IoVerb.ReadVector or IoVerb.WriteVector:
                PrepareVector(handle);
                break;
            default:
                PrepareScalar(handle);
                break;
        }

        NeedsBlocking |= _readsBlocking;
    }

    private void PrepareScalar(SluiceHandle handle)
    {
        long rest = _total - _done;
        nint address = _base + (nint)_done;
        NeedsBlocking = IsCachedWrite(handle) || handle.IsCharacterDevice;
        Length = (int)Math.Min(rest, SluiceHandle.MostBytesPerTransfer);
        Address = address;
        FileAlignment alignment = handle.Alignment;
        if (alignment.Offset == 1)
        {
            ReturnBounce();
            return;
        }

        if (alignment.IsAligned(address, FileOffset, rest))
        {
            ReturnBounce();
            NeedsBlocking = Verb == IoVerb.Write && !TryEnterGate(handle);
            return;
        }

        bool placeAligned = alignment.IsAligned(0, FileOffset, rest);
        if (Verb == IoVerb.Write && !(placeAligned && TryEnterGate(handle)))
        {
            // Edges need the gate for themselves, and whoever writes one now keeps us out: a blocking piece of work either way.
            NeedsBlocking = true;
            Length = (int)rest;
            return;
        }

        long start = FileOffset & -(long)alignment.Offset;
        _bounceSkip = (int)(FileOffset - start);
        long span = _bounceSkip + rest;
        span = (span + alignment.Length - 1) & -(long)alignment.Length;
        _bounce ??= AlignedBufferPool.Rent((int)Math.Min(span, DirectTransfer.MostBounceBytes));
        Length = (int)Math.Min(span, _bounce.Length);
        FileOffset = start;
        Address = _bounce.Address;
        if (Verb == IoVerb.Write)
        {
            _memory.Span.Slice((int)_done, Length).CopyTo(_bounce.Span);
        }
    }

    private void PrepareVector(SluiceHandle handle)
    {
        SegmentCursor segments = _segments!;
        SegmentCount = _readSegments is not null
            ? segments.Load(_readSegments, handle.Alignment, out int bytes)
            : segments.Load(_writeSegments!, handle.Alignment, out bytes);
        Length = bytes;
        Address = segments.Address;
        NeedsBlocking = handle.Alignment.Offset == 1
            ? IsCachedWrite(handle)
            : !(segments.IsAligned
                && handle.Alignment.IsAligned(0, FileOffset, _total - _done)
                && (IsRead || TryEnterGate(handle)));
    }

    private bool IsCachedWrite(SluiceHandle handle) => !IsRead && handle.CanSeek && handle.Alignment.Offset == 1;

    private bool TryEnterGate(SluiceHandle handle)
    {
        if (handle.DirectGate is not { } gate)
        {
            return true;
        }

        if (_engine!.BlocksThreads || !gate.TryEnterShared())
        {
            return false;
        }

        _gate = gate;
        return true;
    }

    /// <summary>Lets edge writes pass: no direct write of this operation is in flight any more.</summary>
    public void LeaveGate()
    {
        if (_gate is { } gate)
        {
            _gate = null;
            gate.ExitShared();
        }
    }

    private void ReturnBounce()
    {
        _bounceSkip = 0;
        if (_bounce is { } bounce)
        {
            _bounce = null;
            AlignedBufferPool.Return(bounce);
        }
    }
}
