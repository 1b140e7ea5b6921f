using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>Reads in flight.</summary>
internal sealed partial class ReadPipeline
{
    private void Read(bool isAsync)
    {
        int length = NextLength();
        BlockTransfer transfer = Rent(length);
        bool ended = false;
        try
        {
            transfer.Offset = _nextOffset;
            transfer.Length = length;
            transfer.Call = _call;
            if (isAsync)
            {
                Start(transfer);
            }
            else if (!SequentialRingLease.TryQueue(ref _lease, ref _ringRefused, _handle, isRead: true, transfer))
            {
                if (IsOverlapped)
                {
                    transfer.Offer(_handle, isRead: true);
                }
                else
                {
                    transfer.Result = _handle.Read(transfer.Span, transfer.Offset);
                }
            }

            _nextOffset += length;
            _inFlight.Enqueue(transfer);
            ended = true;
        }
        finally
        {
            if (!ended)
            {
                _idle.Push(transfer);
            }
        }
    }

    private int NextLength()
    {
        int length = _tuner.SizeBytes;
        int unit = Math.Max(_handle.Alignment.Offset, PageBytes);
        if (IsOverlapped && _nextOffset % unit != 0)
        {
            // Up to the next border, so that whatever follows is aligned.
            return (int)(unit - (_nextOffset % unit));
        }

        long rest = _length - _nextOffset;
        if (_isFixedSize || !_canSeek || _length == 0 || rest >= length)
        {
            return length;
        }

        // One byte more than there is, so that the read comes short and tells that the file ends.
        return (int)Math.Min(length, (Math.Max(rest, 0) / unit * unit) + unit);
    }

    private BlockTransfer Rent(int length)
    {
        if (_idle.TryPeek(out BlockTransfer? transfer))
        {
            transfer.MakeRoom(length);
            return _idle.Pop();
        }

        return new BlockTransfer(AlignedBufferPool.RentOfMany(length));
    }

    private void Start(BlockTransfer transfer)
    {
        if (IsOverlapped && _handle.EngineInUse is ThreadPoolEngine)
        {
            // It would wait for a thread of the pool in any case; offered, a synchronous call that follows need not.
            transfer.Offer(_handle, isRead: true);
            return;
        }

        if (_closing is null)
        {
            // Whoever disposes of the reader at this moment, on another thread, leaves its mark here first, or finds this one.
            _ = Interlocked.CompareExchange(ref _closing, new CancellationTokenSource(), null);
        }

#pragma warning disable CA2012 // Its result is taken here, or it becomes a task.
        ValueTask<int> task = _handle.ReadAsync(transfer.Block.Memory[..transfer.Length], transfer.Offset, _closing.Token);
#pragma warning restore CA2012
        if (task.IsCompletedSuccessfully)
        {
            transfer.Result = task.Result;
        }
        else
        {
            transfer.Task = task.AsTask();
        }
    }

    private void Wait(BlockTransfer transfer)
    {
        if (transfer.IsInRing)
        {
            _lease!.Ring.Wait(transfer);
        }
        else
        {
            transfer.Wait();
        }
    }

    /// <summary>
    /// The bytes of a completed read; the rest of a short one, and an error's second try and exception, by the plain way.
    /// </summary>
    private int Finish(BlockTransfer transfer)
    {
        if (transfer.Task is { } task)
        {
            transfer.Task = null;
            ObjectDisposedException.ThrowIf(task.IsCanceled && _closing is { IsCancellationRequested: true }, typeof(SluiceReader));
            return task.GetAwaiter().GetResult();
        }

        int got = Math.Max(transfer.Result, 0);
        if (got == transfer.Length || !_canSeek || (transfer.Result >= 0 && _handle.IsAtEnd(transfer.Offset + got)))
        {
            return got;
        }

        return got + _handle.Read(transfer.Span[got..], transfer.Offset + got);
    }

    private void DropInFlight()
    {
        while (_inFlight.TryDequeue(out BlockTransfer? transfer))
        {
            if (transfer.IsInRing)
            {
                _lease!.Ring.Wait(transfer);
            }

            transfer.Withdraw();
            IoMetrics.NoteReadAhead(transfer.Length, isUsed: false);
            if (!transfer.IsComplete)
            {
                transfer.ReturnWhenEnded();
                continue;
            }

            // Observed, so that an error of a block that nobody asked for is not reported as lost.
            _ = transfer.Task?.Exception;
            transfer.Task = null;
            _idle.Push(transfer);
        }
    }
}
