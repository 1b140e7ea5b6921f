using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// Prepares a submission: its range, the memory that it uses (the caller's, its segments or a bounce buffer), and whether it needs a
/// blocking call.
/// </summary>
internal sealed partial class IoOperation
{
    /// <summary>True if this submission passes the gate of its file.</summary>
    private bool _passesGate;

    /// <summary>True if the handle was direct when this submission was prepared. It may have become cached since.</summary>
    private bool _isDirect;

    /// <summary>The length for which this submission was prepared, in bytes, before a bounce buffer rounds it.</summary>
    private int _pieceBytes;

    /// <summary>
    /// True if the file system may block the thread that submits the operation to a ring (FUSE), so that a pool thread must perform it.
    /// </summary>
    public bool BlocksSubmitter => !WaitsForOthers && _handle!.BlocksSubmitter;

    /// <inheritdoc/>
    public override void OnAdmitted()
    {
        if (NeedsBlocking)
        {
            ThreadPoolEngine.Instance.Submit(this);
        }
        else
        {
            PoolWork.Queue(static operation => operation._engine!.Submit(operation), this);
        }
    }

    /// <summary>
    /// Enters the gate if a blocking call of this submission must pass it. If this returns <see cref="GatePass.Waiting"/>, the operation is
    /// submitted again when it is admitted, and the thread is free.
    /// </summary>
    public GatePass EnterGate() => _passesGate && NeedsBlocking ? _handle!.DirectGate!.Enter(this) : GatePass.Inside;

    /// <summary>Leaves the gate, if the operation is inside. No transfer of it may be in flight. Runs no user code.</summary>
    public void LeaveGate()
    {
        if (Pass != GatePass.None)
        {
            _handle!.DirectGate!.Leave(this);
        }
    }

    /// <summary>Turns this submission into a blocking call of another thread, which enters the gate when it begins.</summary>
    public void BecomeCall()
    {
        NeedsBlocking = true;
        LeaveGate();
    }

    /// <summary>Prepares the next submission, which begins after the bytes that were transferred.</summary>
    private void Prepare()
    {
        OpenFile handle = _handle!;
        FileOffset = handle.CanSeek && _startOffset >= 0 ? _startOffset + _done : -1;
        NeedsBlocking = false;
        PassesCache = false;
        IsFault = false;
        _passesGate = false;
        _isDirect = handle.Caching == FileCaching.Direct;
        switch (Verb)
        {
            case IoVerb.Flush or IoVerb.FlushData or IoVerb.Nothing:
                return;
            case IoVerb.Append:
                NeedsBlocking = true;
                Address = _base;
                Length = (int)_total;
                PassGate(handle, exclusively: true);
                return;
        }

        FileAlignment alignment = handle.Alignment;
        int most;
        if (_segments is { } segments)
        {
            Verb = IsRead ? IoVerb.ReadVector : IoVerb.WriteVector;
            most = segments.Load(alignment);
            Address = segments.Address;
            SegmentCount = segments.Count;
        }
        else
        {
            most = (int)Math.Min(_total - _done, OpenFile.MaxBytesPerTransfer);
            if (alignment.Offset > 1 && most > OpenFile.MaxDirectPieceBytes && _cancellationToken.CanBeCanceled)
            {
                // A device does not cancel a transfer that it has begun, so the token is checked between pieces. Only the first and the
                // last of them are unaligned.
                most = OpenFile.MaxDirectPieceBytes - (int)(FileOffset & (alignment.Offset - 1));
            }

            Address = _base + (nint)_done;
        }

        _pieceBytes = Length = most;
        if (alignment.Offset == 1)
        {
            PrepareCached(handle);
        }
        else if (_readsThroughCache)
        {
            PrepareThroughCache(handle);
        }
        else if (IsRead)
        {
            PrepareDirectRead(alignment);
        }
        else
        {
            PrepareDirectWrite(handle, alignment);
        }
    }

    private void PrepareCached(OpenFile handle)
    {
        ReturnBounce();
        NeedsBlocking = handle.IsCharacterDevice || (handle.CanSeek && (!IsRead || Length > OpenFile.MaxInlineBytes));
        if (Length > OpenFile.MaxInlineBytes && _cancellationToken.CanBeCanceled && (IsRead || !handle.IsAppending()))
        {
            // The transfer is split into pieces, and the token is checked between them. An append is never split.
            Cut(OpenFile.MaxInlineBytes);
        }
    }

    /// <summary>Prepares a transfer through the page cache: O_DIRECT is off, and other direct writes of this process wait.</summary>
    private void PrepareThroughCache(OpenFile handle)
    {
        ReturnBounce();
        NeedsBlocking = true;
        PassesCache = true;
        PassGate(handle, exclusively: true);
    }

    private void PrepareDirectRead(FileAlignment alignment)
    {
        int most = Length;
        bool isAddressAligned = _segments?.IsAligned ?? alignment.IsAligned(Address, 0, 0);
        _hasEdge |= !alignment.IsAligned(0, FileOffset, most);
        if (isAddressAligned && alignment.IsAligned(0, FileOffset, most))
        {
            ReturnBounce();
            return;
        }

        int skip = (int)(FileOffset & (alignment.Offset - 1));
        long span = (skip + (long)most + alignment.Length - 1) & -(long)alignment.Length;
        if (span > DirectTransfer.MaxBounceBytes && _segments is null)
        {
            // Too long for one bounce buffer: if the caller's memory allows it, only the unaligned ends are copied.
            if (skip == 0 && isAddressAligned)
            {
                ReturnBounce();
                Length = most & -alignment.Length;
                return;
            }

            int head = alignment.Offset - skip;
            if (alignment.IsAligned(Address + head, 0, 0))
            {
                span = Math.Max(alignment.Offset, alignment.Length);
            }
        }

        Bounce((int)Math.Min(span, DirectTransfer.MaxBounceBytes));
        _bounceSkip = skip;
        FileOffset -= skip;
    }

    /// <summary>
    /// Whole pages are written directly, at the same time as others; partial pages through the page cache, exclusively. No page is written
    /// both ways, because the kernel would have to write it to the device in between.
    /// </summary>
    private void PrepareDirectWrite(OpenFile handle, FileAlignment alignment)
    {
        int most = Length;
        bool isRangeAligned = alignment.IsAligned(0, FileOffset, most);
        if (!isRangeAligned)
        {
            _hasEdge = true;
            long unit = Math.Max(alignment.Offset, Environment.SystemPageSize);
            long end = FileOffset + most;
            long firstBlock = (FileOffset + unit - 1) & -unit;
            long lastBlock = end & -unit;
            if (firstBlock < FileOffset || firstBlock >= lastBlock || firstBlock > FileOffset)
            {
                // The write is less than a page, or starts with the part before the first whole page, or its rounded offset overflows (the
                // kernel then returns the error).
                if (firstBlock > FileOffset && firstBlock < lastBlock)
                {
                    Cut((int)(firstBlock - FileOffset));
                }

                PrepareThroughCache(handle);
                return;
            }

            Cut((int)(lastBlock - firstBlock));
        }

        if (_segments is { } segments ? isRangeAligned && segments.IsAligned : alignment.IsAligned(Address, 0, 0))
        {
            ReturnBounce();
        }
        else
        {
            Bounce(Math.Min(Length, DirectTransfer.MaxBounceBytes));
            CopyToBounce();
        }

        NeedsBlocking = _engine!.BlocksThreads || LeavesRing || IsSynchronous;
        PassGate(handle, exclusively: false);
    }

    private void PassGate(OpenFile handle, bool exclusively)
    {
        _passesGate = handle.DirectGate is not null;
        IsExclusive = exclusively;
    }

    private void Cut(int length)
    {
        if (length < Length)
        {
            Length = length;
            SegmentCount = _segments?.Shorten(length) ?? 0;
        }
    }

    /// <summary>Makes this submission use a bounce buffer of at least <paramref name="length"/> bytes.</summary>
    private void Bounce(int length)
    {
        if (_bounce.Length < length)
        {
            ReturnBounce();
            _bounce = AlignedBufferPool.Rent(length);
        }

        _bounceSkip = 0;
        Length = length;
        Address = _bounce.Address;
        Verb = IsRead ? IoVerb.Read : IoVerb.Write;
    }

    private void CopyToBounce()
    {
        Span<byte> bounce = _bounce.Span[..Length];
        if (_segments is { } segments)
        {
            segments.CopyTo(bounce);
        }
        else
        {
            PinnedMemory.SpanOf(_base + (nint)_done, Length).CopyTo(bounce);
        }
    }

    private void CopyFromBounce(ReadOnlySpan<byte> bytes)
    {
        if (_segments is { } segments)
        {
            segments.CopyFrom(bytes);
        }
        else
        {
            bytes.CopyTo(PinnedMemory.SpanOf(_base + (nint)_done, bytes.Length));
        }
    }

    private void ReturnBounce()
    {
        _bounceSkip = 0;
        _bounce.Return();
        _bounce = default;
    }
}
