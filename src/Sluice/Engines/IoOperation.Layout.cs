using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>How a submission lies in memory: straight, as segments, or through a buffer of ours; and which of them must block.</summary>
internal sealed partial class IoOperation
{
    /// <summary>This submission is carried out inside the gate of its file.</summary>
    private bool _passesGate;

    /// <summary>The handle was direct when this submission was laid out: it may have become cached since.</summary>
    private bool _isDirect;

    /// <summary>What this submission was laid out for, in bytes: all that is pinned, at most.</summary>
    private int _pieceBytes;

    /// <summary>Its file system may block the thread that submits it to a ring: a pool thread carries it out.</summary>
    public bool BlocksSubmitter => !WaitsForOthers && _handle!.BeginsByWaiting;

    /// <inheritdoc/>
    public override bool BeginsWhenCalled => !NeedsBlocking;

    /// <inheritdoc/>
    public override void OnCalled()
    {
        if (BeginsWhenCalled)
        {
            // Who calls has an operation of its own to end first: should this one end at once, its caller's code has another thread.
            bool taken = ThreadPoolEngine.TryTakeThread();
            _engine!.Submit(this);
            ThreadPoolEngine.GiveThreadBack(taken);
        }
        else
        {
            // It has passed through an intercepting engine before.
            ThreadPoolEngine.Instance.Submit(this);
        }
    }

    /// <summary>Before this submission is carried out on a thread: enters the gate if it passes one. Waiting: the thread is free for
    /// others.</summary>
    public GatePass EnterGate() => _passesGate && NeedsBlocking ? _handle!.DirectGate!.Enter(this) : GatePass.Inside;

    /// <summary>Lets others pass: no transfer of this operation is in flight any more.</summary>
    public void LeaveGate()
    {
        if (Pass != GatePass.None)
        {
            _handle!.DirectGate!.Leave(this);
        }
    }

    /// <summary>
    /// As <see cref="LeaveGate"/>, when the transfer has ended, or has not begun, and a thread of the pool is to go on with the operation:
    /// until that comes, nobody waits for it. Runs no caller's code.
    /// </summary>
    public void MakeWay()
    {
        if (Pass != GatePass.None)
        {
            _handle!.DirectGate!.Leave(this, mayCall: false);
        }
    }

    /// <summary>This submission becomes a call of another thread, and enters the gate when that has come.</summary>
    public void BecomeCall()
    {
        NeedsBlocking = true;
        MakeWay();
    }

    /// <summary>Lays out the next submission from what is done so far.</summary>
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
                // A device does not give up what it has begun: the token is looked at between pieces, of which only the first and the
                // last have edges.
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
            // In pieces, and the token is looked at between them; but what is appended stays whole.
            Cut(OpenFile.MaxInlineBytes);
        }
    }

    /// <summary>With O_DIRECT off and all others of this process kept out; the memory may lie anywhere.</summary>
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
            // Too long for one buffer: the middle goes straight to the caller's memory where that fits, and only the edges are copied.
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
    /// Whole blocks go direct, beside others of their kind; edges through the page cache, with all others kept out. An edge reaches to a
    /// page's border, so that no page is written both ways: the kernel would have to write it to the device in between.
    /// </summary>
    private void PrepareDirectWrite(OpenFile handle, FileAlignment alignment)
    {
        int most = Length;
        bool isPlaceAligned = alignment.IsAligned(0, FileOffset, most);
        if (!isPlaceAligned)
        {
            _hasEdge = true;
            long unit = Math.Max(alignment.Offset, Environment.SystemPageSize);
            long end = FileOffset + most;
            long firstBlock = (FileOffset + unit - 1) & -unit;
            long lastBlock = end & -unit;
            if (firstBlock < FileOffset || firstBlock >= lastBlock || firstBlock > FileOffset)
            {
                // Less than a page, or what is before the first; or a place so far out that rounding overflows, which the kernel is to
                // judge.
                if (firstBlock > FileOffset && firstBlock < lastBlock)
                {
                    Cut((int)(firstBlock - FileOffset));
                }

                PrepareThroughCache(handle);
                return;
            }

            Cut((int)(lastBlock - firstBlock));
        }

        if (_segments is { } segments ? isPlaceAligned && segments.IsAligned : alignment.IsAligned(Address, 0, 0))
        {
            ReturnBounce();
        }
        else
        {
            Bounce(Math.Min(Length, DirectTransfer.MaxBounceBytes));
            CopyToBounce();
        }

        NeedsBlocking = _engine!.BlocksThreads || LeavesRing;
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

    /// <summary>This submission goes through a buffer of ours, as a plain transfer.</summary>
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
