using System.Buffers;
using Sluice.Log.Appending;

namespace Sluice;

// The asynchronous members. The log's worker serves their waits.
public sealed partial class SluiceLog
{
    /// <summary>
    /// The time, in milliseconds, after which an append that waits for the keeper, or for the removal of the log's end, checks again.
    /// </summary>
    private const int CheckAgainMs = 5;

    /// <summary>Appends a record and waits asynchronously for the log's default durability.</summary>
    /// <param name="record">
    /// The bytes of the record. It can be empty. The memory must not be changed until the returned task has completed.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It can cancel the append only while the record waits for space. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <inheritdoc cref="AppendAsync(ReadOnlyMemory{byte}, LogDurability, CancellationToken)"/>
    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> record, CancellationToken cancellationToken = default) =>
        AppendAsync(record, _settings.Durability, cancellationToken);

    /// <summary>Appends a record and waits asynchronously for the specified durability.</summary>
    /// <param name="record">
    /// The bytes of the record. It can be empty. The memory must not be changed until the returned task has completed.
    /// </param>
    /// <param name="durability">The durability to wait for.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It can cancel the append only while the record waits for space. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <returns>A task whose result is the sequence number of the record.</returns>
    /// <remarks>
    /// <para>
    /// A record waits for space if the memory of the log is full (<see cref="SluiceLogOptions.BufferBytes"/>), if 32 full segment files
    /// wait to be made durable, or during <see cref="TruncateAfter(long)"/>. While a record waits, records that are appended later can get
    /// a lower sequence number. To append records in a fixed order, call <see cref="Append(ReadOnlySpan{byte}, LogDurability)"/> with
    /// <see cref="LogDurability.Buffered"/> and then await <see cref="WaitDurableAsync"/>.
    /// </para>
    /// <para>For the state of the log after a failure, see <see cref="Append(ReadOnlySpan{byte})"/>.</para>
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// <paramref name="record"/> is longer than <see cref="SluiceLogOptions.MaxRecordBytes"/>.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">The durability is not a defined value.</exception>
    /// <exception cref="IOException">
    /// The record could not be written or made durable, or there is no space for it, as described for
    /// <see cref="Append(ReadOnlySpan{byte})"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    /// <exception cref="OperationCanceledException">The append was canceled. The record is not in the log.</exception>
    public ValueTask<long> AppendAsync(ReadOnlyMemory<byte> record, LogDurability durability, CancellationToken cancellationToken = default)
    {
        _ = SluiceLogOptions.Known(durability);
        CheckLength(record.Length, nameof(record));
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<long>(cancellationToken);
        }

        try
        {
            return TryAppend(record.Span, durability, out ValueTask<long> appended, out long waitFor, out int epoch)
                ? appended
                : AppendLaterAsync(record, durability, waitFor, epoch, cancellationToken);
        }
        catch (IOException e)
        {
            return ValueTask.FromException<long>(e);
        }
    }

    /// <param name="record">
    /// The bytes of the record. The sequence can be empty. Its memory must not be changed until the returned task has completed.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It can cancel the append only while the record waits for space. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <inheritdoc cref="AppendAsync(ReadOnlyMemory{byte}, CancellationToken)"/>
    public ValueTask<long> AppendAsync(ReadOnlySequence<byte> record, CancellationToken cancellationToken = default) =>
        AppendAsync(record, _settings.Durability, cancellationToken);

    /// <param name="record">
    /// The bytes of the record. The sequence can be empty. Its memory must not be changed until the returned task has completed.
    /// </param>
    /// <param name="durability">The durability to wait for.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It can cancel the append only while the record waits for space. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <inheritdoc cref="AppendAsync(ReadOnlyMemory{byte}, LogDurability, CancellationToken)"/>
    public ValueTask<long> AppendAsync(
        ReadOnlySequence<byte> record, LogDurability durability, CancellationToken cancellationToken = default)
    {
        return record.IsSingleSegment
            ? AppendAsync(record.First, durability, cancellationToken)
            : AppendAsync(
                new RecordBatch(record, _headerBytes, SluiceLogOptions.Known(durability), _settings.MaxRecordBytes), durability, cancellationToken);
    }

    /// <summary>
    /// Asynchronously appends several records as a unit. The returned task completes when the records have the specified durability. The
    /// records get consecutive sequence numbers. After a crash, a framed log contains either all of these records or none.
    /// </summary>
    /// <param name="records">
    /// The records. Their total size must not exceed <see cref="SluiceLogOptions.MaxRecordBytes"/>. In a framed log, the total size
    /// includes 4 bytes for each record after the first.
    /// </param>
    /// <param name="durability">
    /// The durability to wait for, or <see langword="null"/> (the default) for the default durability of the log.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It can cancel the append only while the records wait for space. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <returns>
    /// A task whose result is the sequence number of the first record. If <paramref name="records"/> is empty, the result is
    /// <see cref="NextSequence"/>.
    /// </returns>
    /// <remarks>For the state of the log after a failure, see <see cref="Append(ReadOnlySpan{byte})"/>.</remarks>
    /// <exception cref="ArgumentException">The total size of the records is too large.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    /// <exception cref="IOException">
    /// The records could not be written or made durable, or there is no space for them, as described for
    /// <see cref="Append(ReadOnlySpan{byte})"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    /// <exception cref="OperationCanceledException">The append was canceled. The records are not in the log.</exception>
    public async ValueTask<long> AppendBatchAsync(
        ReadOnlyMemory<ReadOnlyMemory<byte>> records, LogDurability? durability = null, CancellationToken cancellationToken = default)
    {
        LogDurability wanted = SluiceLogOptions.Known(durability ?? _settings.Durability);
        cancellationToken.ThrowIfCancellationRequested();
        return records.IsEmpty
            ? NextSequence
            : await AppendAsync(
                new RecordBatch(records.Span, _headerBytes, wanted, _settings.MaxRecordBytes), wanted, cancellationToken).ConfigureAwait(false);
    }

    /// <summary>Waits asynchronously until a record and all records before it are durable.</summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. A cancellation ends only the wait; the record stays in the log. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <returns>A task that completes when the records are durable.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// No record with the number <paramref name="sequence"/> has been appended.
    /// </exception>
    /// <exception cref="IOException">The record could not be made durable.</exception>
    /// <exception cref="OperationCanceledException">The wait was canceled.</exception>
    public ValueTask WaitDurableAsync(long sequence, CancellationToken cancellationToken = default)
    {
        if (sequence > _committer.Durable)
        {
            ArgumentOutOfRangeException.ThrowIfGreaterThanOrEqual(sequence, _ring.NextSequenceIn(out int epoch));
            return WaitPlainAsync(LogDurability.Durable, sequence, 0, epoch, cancellationToken);
        }

        return ValueTask.CompletedTask;
    }

    /// <summary>Waits asynchronously until all records that were appended before the call are written or durable.</summary>
    /// <param name="durability">
    /// The durability to wait for. With <see cref="LogDurability.Buffered"/>, a completed task is returned. The default is
    /// <see cref="LogDurability.Durable"/>.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. A cancellation ends only the wait; the records stay in the log. The default is
    /// <see cref="CancellationToken.None"/>.
    /// </param>
    /// <returns>A task that completes when the records have the specified durability.</returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    /// <exception cref="IOException">
    /// A record could not be written, and stays in memory until the log can write it; or a flush to the disk failed (see
    /// <see cref="Failure"/>).
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    /// <exception cref="OperationCanceledException">The wait was canceled.</exception>
    public ValueTask FlushAsync(LogDurability durability = LogDurability.Durable, CancellationToken cancellationToken = default)
    {
        _ = SluiceLogOptions.Known(durability);
        ThrowIfClosed();
        return durability == LogDurability.Buffered
            ? ValueTask.CompletedTask
            : WaitPlainAsync(durability, _ring.NextSequenceIn(out int epoch) - 1, 0, epoch, cancellationToken);
    }

    private async ValueTask<long> AppendAsync(RecordBatch batch, LogDurability durability, CancellationToken cancellationToken)
    {
        using (batch)
        {
            cancellationToken.ThrowIfCancellationRequested();
            PageReservation reserved;
            while (!TryReserveSpace(batch.Bytes.Length, batch.Count, out reserved, out long waitFor))
            {
                await WaitForRoomAsync(waitFor, reserved.Epoch, cancellationToken).ConfigureAwait(false);
            }

            long first = reserved.FirstSequence;
            return !CopyBatch(reserved, batch, durability) ? first
                : await WaitAsync(durability, first + batch.Count - 1, reserved, batch.Count, first).ConfigureAwait(false);
        }
    }

    /// <summary>
    /// Appends a record if there is space for it. The caller has read the memory before, because an exception after space was reserved
    /// would prevent later records from being written.
    /// </summary>
    private bool TryAppend(
        ReadOnlySpan<byte> record, LogDurability durability, out ValueTask<long> appended, out long waitFor, out int epoch)
    {
        int bytes = _headerBytes + record.Length;
        bool isReserved = TryReserveSpace(bytes, 1, out PageReservation reserved, out waitFor);
        (appended, epoch) = (default, reserved.Epoch);
        if (isReserved)
        {
            CopyRecord(reserved.Page!.Bytes.Slice(reserved.Offset, bytes), record, durability);
            appended = EndCopy(reserved, bytes, 1, durability)
                ? WaitAsync(durability, reserved.FirstSequence, reserved, 1, reserved.FirstSequence)
                : new ValueTask<long>(reserved.FirstSequence);
        }

        return isReserved;
    }

    private async ValueTask<long> AppendLaterAsync(
        ReadOnlyMemory<byte> record, LogDurability durability, long waitFor, int epoch, CancellationToken cancellationToken)
    {
        while (true)
        {
            await WaitForRoomAsync(waitFor, epoch, cancellationToken).ConfigureAwait(false);
            if (TryAppend(record.Span, durability, out ValueTask<long> appended, out waitFor, out epoch))
            {
                return await appended.ConfigureAwait(false);
            }
        }
    }

    /// <param name="waitFor">The last sequence number of the oldest page; 0 to wait for a moment.</param>
    /// <param name="epoch">The ring's epoch when the page was full.</param>
    private void WaitForRoom(long waitFor, int epoch)
    {
        if (waitFor == 0)
        {
            Thread.Sleep(CheckAgainMs);
        }
        else
        {
            _committer.WaitWritten(waitFor, new PageReservation(null, 0, 0, epoch), 0);
        }
    }

    private ValueTask WaitForRoomAsync(long waitFor, int epoch, CancellationToken cancellationToken) => waitFor == 0
        ? new ValueTask(Task.Delay(CheckAgainMs, cancellationToken))
        : WaitPlainAsync(LogDurability.Written, waitFor, 0, epoch, cancellationToken);

    private ValueTask<long> WaitAsync(LogDurability durability, long sequence, in PageReservation reserved, int ownRecords, long result)
    {
        AsyncWaiter waiter = AsyncWaiter.Rent(sequence, ownRecords, reserved, result);
        ValueTask<long> task = waiter.Task;
        _committer.Push(waiter, durability == LogDurability.Durable);
        return task;
    }

    private ValueTask WaitPlainAsync(
        LogDurability durability, long sequence, int ownRecords, int epoch, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (sequence <= (durability == LogDurability.Durable ? _committer.Durable : _committer.Written))
        {
            return ValueTask.CompletedTask;
        }

        AsyncWaiter waiter = AsyncWaiter.Rent(sequence, ownRecords, new PageReservation(null, 0, 0, epoch), sequence);
        ValueTask task = waiter.PlainTask;
        _committer.Push(waiter, durability == LogDurability.Durable);
        return cancellationToken.CanBeCanceled ? new ValueTask(task.AsTask().WaitAsync(cancellationToken)) : task;
    }
}
