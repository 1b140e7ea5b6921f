using Sluice.Engines;

namespace Sluice.Sequential;

/// <summary>Blocks in flight.</summary>
internal sealed partial class WritePipeline
{
    /// <summary>After an error: returns when nothing is in flight that could still make the file longer.</summary>
    public async ValueTask EndTransfersAsync(bool isAsync)
    {
        if (!_canSeek)
        {
            // The other end of a pipe may never take it; it keeps its memory and the descriptor until it ends.
            CancelAwaited();
            return;
        }

        foreach (BlockTransfer transfer in _inFlight)
        {
            transfer.Withdraw();
            if (!isAsync)
            {
                transfer.Wait();
            }
            else if (transfer.Task is { } task)
            {
                await ((Task)task).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            }
        }
    }

    /// <summary>Ends all transfers and gives the memory back; nothing more is written.</summary>
    public void Close()
    {
        _lease?.Dispose();
        _lease = null;
        while (_inFlight.TryDequeue(out BlockTransfer? transfer))
        {
            transfer.ReturnWhenEnded();
        }

        while (_idle.TryPop(out BlockTransfer? idle))
        {
            idle.GiveBack();
        }

        _block?.GiveBack();
        _block = null;
    }

    private void Submit(BlockTransfer block, bool isAsync)
    {
        try
        {
            if (isAsync && !(IsOverlapped && _handle.EngineInUse is ThreadPoolEngine))
            {
#pragma warning disable CA2012 // It becomes a task, or has ended.
                ValueTask task = _handle.WriteAsync(
                    block.Block.Memory[..block.Length], block.Offset, _closing?.Token ?? CancellationToken.None);
#pragma warning restore CA2012
                if (task.IsCompletedSuccessfully)
                {
                    // Its operation is another one's only when it was asked for its result.
                    task.GetAwaiter().GetResult();
                    block.Result = block.Length;
                }
                else
                {
                    block.Task = AsCountAsync(task, block.Length);
                }
            }
            else if (!IsOverlapped)
            {
                _handle.Write(block.Span, block.Offset);
                block.Result = block.Length;
            }
            else if (isAsync || !TryQueue(block))
            {
                // With the pool alone, asynchronous ones too: a synchronous call that waits for them needs no thread of the pool.
                block.Offer(_handle, isRead: false);
            }
        }
        catch (Exception e)
        {
            _idle.Push(block);
            Fault(e, block.Offset);
            throw;
        }

        // A task that has ended already may have failed: only TakeOldestAsync finds out.
        // An entry that the ring completed while it was submitted may have failed, or be short: that is told where its turn comes.
        if (block.Task is null && !block.IsInRing && block.Result == block.Length && _inFlight.Count == 0)
        {
            _idle.Push(block);
            Report(block.Offset + block.Length);
        }
        else
        {
            _inFlight.Enqueue(block);
        }
    }

    private static async Task<int> AsCountAsync(ValueTask task, int bytes)
    {
        await task.ConfigureAwait(false);
        return bytes;
    }

    /// <summary>Whole pages only: see the remarks of this class.</summary>
    private bool TryQueue(BlockTransfer block)
    {
        if (block.Offset % _unit != 0 || block.Length % _unit != 0
            || !SequentialRingLease.TryQueue(ref _lease, ref _ringRefused, _handle, isRead: false, block))
        {
            return false;
        }

        _lease!.Ring.Submit();
        return true;
    }

    private async ValueTask TakeOldestAsync(bool isAsync, CancellationToken cancellationToken)
    {
        BlockTransfer oldest = _inFlight.Peek();
        if (oldest.IsInRing)
        {
            _lease!.Ring.Wait(oldest);
        }
        else if (!isAsync)
        {
            oldest.Wait();
        }
        else if (oldest.Task is { IsCompleted: false } task)
        {
            await (_closing is null ? ((Task)task).WaitAsync(cancellationToken) : oldest.WaitAsync(_closing.Token, cancellationToken))
                .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!task.IsCompleted)
            {
                cancellationToken.ThrowIfCancellationRequested();
                throw new ObjectDisposedException(nameof(SluiceWriter));
            }
        }

        try
        {
            Finish(oldest);
        }
        catch (Exception e)
        {
            Fault(e, oldest.Offset);
            throw;
        }

        _ = _inFlight.Dequeue();
        _idle.Push(oldest);
        Report(oldest.Offset + oldest.Length);
    }

    /// <summary>The rest of a short write, and an error's second try and exception, by the plain way.</summary>
    private void Finish(BlockTransfer transfer)
    {
        if (transfer.Task is { } task)
        {
            transfer.Task = null;
            transfer.Result = task.GetAwaiter().GetResult();
        }

        int done = Math.Max(transfer.Result, 0);
        if (done < transfer.Length)
        {
            _handle.Write(transfer.Span[done..], transfer.Offset + done);
        }
    }
}
