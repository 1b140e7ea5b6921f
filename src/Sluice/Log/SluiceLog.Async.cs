using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Log;
using Sluice.Log.Stages;

namespace Sluice;

// The asynchronous members; what waits is served by the log's own threads.
public sealed partial class SluiceLog
{
    /// <summary>What is waited for is no sequence, but a round of the keeper.</summary>
    private const long Keeper = -1;

    /// <summary>What is waited for is that a tail has been dropped.</summary>
    private const long Thaw = -2;

    /// <summary>Of whoever waits for memory, and looks once more where he need not wait.</summary>
    private const int AnyEpoch = -1;

    /// <inheritdoc cref="AppendAsync(ReadOnlyMemory{byte}, LogDurability, CancellationToken)"/>
    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> record, CancellationToken cancellationToken = default) =>
        AppendAsync(record, _settings.Durability, cancellationToken);

    /// <summary>As <see cref="Append(ReadOnlySpan{byte}, LogDurability)"/>, without blocking the caller.</summary>
    /// <param name="record">
    /// Its bytes; copied before the call returns, unless the log's memory is full, full segments wait to be on the disk, or a tail is being
    /// dropped: whoever does not know keeps them until the task has ended.
    /// </param>
    /// <param name="durability">What the task waits for.</param>
    /// <param name="cancellationToken">Asks to cancel as long as the record has no place in the log's memory.</param>
    /// <remarks>
    /// Where the record is not copied before the call returns, it has no place yet either, and later appends may come before it. Whose
    /// records are to have an order of their own takes their places by <see cref="Append(ReadOnlySpan{byte}, LogDurability)"/> with
    /// <see cref="LogDurability.Buffered"/>, and awaits <see cref="WaitDurableAsync"/>.
    /// </remarks>
    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> record, LogDurability durability, CancellationToken cancellationToken = default)
    {
        _ = LogSettings.Known(durability);
        CheckLength(record.Length, nameof(record));
        ThrowIfReserved();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        try
        {
            return TryAppend(record, durability, out ValueTask<long> appended, out long waitFor)
                ? appended
                : AppendLaterAsync(record, durability, waitFor, cancellationToken);
        }
        catch (IOException e)
        {
            return ValueTask.FromException<long>(e);
        }
    }

    /// <summary>As <see cref="AppendBatch"/>, without blocking the caller.</summary>
    /// <param name="records">The records; copied before the call returns.</param>
    /// <param name="durability">What the task waits for; null for the log's default.</param>
    /// <param name="cancellationToken">Asks to cancel as long as the records have no place in the log's memory.</param>
    public async ValueTask<long> AppendBatchAsync(
        ReadOnlyMemory<ReadOnlyMemory<byte>> records, LogDurability? durability = null, CancellationToken cancellationToken = default)
    {
        LogDurability wanted = LogSettings.Known(durability ?? _settings.Durability);
        ThrowIfReserved();
        cancellationToken.ThrowIfCancellationRequested();
        if (records.IsEmpty)
        {
            return NextSequence;
        }

        using RecordBatch batch = new(records.Span, _headerBytes, wanted, _settings.MaxRecordBytes);
        Placed place;
        while (!TryTake(batch.Bytes.Length, batch.Count, out place, out long waitFor))
        {
            await WaitForRoomAsync(waitFor, cancellationToken).ConfigureAwait(false);
        }

        long first = place.FirstSequence;
        return !CopyBatch(place, batch, wanted) ? first
            : await WaitAsync(wanted, first + batch.Count - 1, batch.Count, place, first).ConfigureAwait(false);
    }

    /// <summary>Waits until a record is on the disk.</summary>
    /// <param name="sequence">Its sequence number.</param>
    /// <param name="cancellationToken">Asks to wait no longer; the record stays.</param>
    /// <exception cref="ArgumentOutOfRangeException">No append has got this number yet.</exception>
    /// <exception cref="IOException">It could not be made durable for now.</exception>
    /// <exception cref="InvalidOperationException">This thread has a reservation in the log that it has neither committed nor disposed.
    /// </exception>
    public ValueTask WaitDurableAsync(long sequence, CancellationToken cancellationToken = default)
    {
        ThrowIfReserved();
        if (sequence > _syncs.Durable)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(sequence, _ring.NextSequenceIn(out int epoch));
            return WaitPlainAsync(LogDurability.Durable, sequence, 0, epoch, cancellationToken);
        }

        return ValueTask.CompletedTask;
    }

    /// <summary>As <see cref="Flush"/>, without blocking the caller.</summary>
    /// <param name="durability">What to wait for.</param>
    /// <param name="cancellationToken">Asks to wait no longer.</param>
    public ValueTask FlushAsync(LogDurability durability = LogDurability.Durable, CancellationToken cancellationToken = default)
    {
        _ = LogSettings.Known(durability);
        ThrowIfClosed();
        ThrowIfReserved();
        return durability == LogDurability.Buffered
            ? ValueTask.CompletedTask
            : WaitPlainAsync(durability, _ring.NextSequenceIn(out int epoch) - 1, LogWaiter.Any, epoch, cancellationToken);
    }

    private bool TryAppend(ReadOnlyMemory<byte> record, LogDurability durability, out ValueTask<long> appended, out long waitFor)
    {
        // The caller's memory is asked before a place is taken: nobody behind it could be written if it threw in between.
        ReadOnlySpan<byte> content = record.Span;
        CheckLength(content.Length, nameof(record));
        int bytes = _headerBytes + content.Length;
        if (!TryTake(bytes, 1, out Placed place, out waitFor))
        {
            appended = default;
            return false;
        }

        CopyRecord(place.Page.Bytes.Slice(place.Offset, bytes), content, durability);
        appended = EndCopy(place, bytes, 1, durability) ? WaitAsync(durability, place.FirstSequence, 1, place, place.FirstSequence)
            : new ValueTask<long>(place.FirstSequence);
        return true;
    }

    private async ValueTask<long> AppendLaterAsync(
        ReadOnlyMemory<byte> record, LogDurability durability, long waitFor, CancellationToken cancellationToken)
    {
        while (true)
        {
            await WaitForRoomAsync(waitFor, cancellationToken).ConfigureAwait(false);
            if (TryAppend(record, durability, out ValueTask<long> appended, out waitFor))
            {
                return await appended.ConfigureAwait(false);
            }
        }
    }

    /// <summary>
    /// Until the oldest page is written; or the keeper has done a round, whatever came of it, or takes too long; or a tail is dropped.
    /// </summary>
    private void WaitForRoom(long waitFor)
    {
        if (waitFor == Keeper)
        {
            ThrowIfWithinOrKeeper();
            _ = PoolWork.Wait(_syncs.NextKeeping(), Tuning.LogKeeperPatienceMs);
        }
        else if (waitFor == Thaw)
        {
            // Who drops the tail may wait for what this thread has.
            ThrowIfWithin(isDurable: true);
            _ = PoolWork.Wait(_ring.Thawing);
        }
        else
        {
            Wait(LogDurability.Written, waitFor, LogWaiter.Any, default, AnyEpoch);
        }
    }

    private async ValueTask WaitForRoomAsync(long waitFor, CancellationToken cancellationToken)
    {
        if (waitFor is Keeper or Thaw)
        {
            // It looks again by itself: an interruption of whoever ends that may have it left out.
            Task end = waitFor == Keeper ? _syncs.NextKeeping() : _ring.Thawing;
            await Task.WhenAny(end, Task.Delay(Tuning.LogKeeperPatienceMs, cancellationToken)).ConfigureAwait(false);
            cancellationToken.ThrowIfCancellationRequested();
        }
        else
        {
            await WaitPlainAsync(LogDurability.Written, waitFor, LogWaiter.Any, AnyEpoch, cancellationToken).ConfigureAwait(false);
        }
    }

    private ValueTask<long> WaitAsync(LogDurability durability, long sequence, int ownRecords, Placed place, long result)
    {
        if (sequence <= (durability == LogDurability.Durable ? _syncs.Durable : _writes.Written))
        {
            return new ValueTask<long>(result);
        }

        AsyncWaiter waiter = AsyncWaiter.Rent(sequence, ownRecords, place, result);
        ValueTask<long> task = waiter.Task;
        Push(waiter, durability);
        return task;
    }

    private ValueTask WaitPlainAsync(
        LogDurability durability, long sequence, int ownRecords, int epoch, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (sequence <= (durability == LogDurability.Durable ? _syncs.Durable : _writes.Written))
        {
            return ValueTask.CompletedTask;
        }

        AsyncWaiter waiter = AsyncWaiter.Rent(sequence, ownRecords, default, sequence, epoch);
        ValueTask task = waiter.PlainTask;
        Push(waiter, durability);
        return cancellationToken.CanBeCanceled ? new ValueTask(task.AsTask().WaitAsync(cancellationToken)) : task;
    }

    /// <summary>A closed log has no threads: whoever waits leads.</summary>
    private void Push(AsyncWaiter waiter, LogDurability durability)
    {
        // Read before the push: afterwards it may be another append's.
        long sequence = waiter.Target;
        if (durability == LogDurability.Durable)
        {
            _syncs.Waiters.Push(waiter);
            _syncs.RouseWritesIfBusy();
            if (Volatile.Read(ref _isClosing))
            {
                _syncs.TryLead();
            }
            else
            {
                _syncs.Signal();
            }
        }
        else
        {
            _writes.Waiters.Push(waiter);
            if (Volatile.Read(ref _isClosing))
            {
                _writes.TryLead();
            }
            else
            {
                _writes.Signal();
            }
        }

        if (MayBeDropped(sequence))
        {
            // Who asks does not wait for a stage.
            PoolWork.Queue(static log => log.FailDropped(), this);
        }
    }
}
