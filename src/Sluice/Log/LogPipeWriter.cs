using System.Buffers;
using System.IO.Pipelines;

namespace Sluice.Log;

/// <summary>
/// A pipe writer that appends to the log: the bytes that were written since the last flush are one record. Not thread-safe.
/// </summary>
#pragma warning disable CA1001 // Without a timer or a wait handle, a CancellationTokenSource has nothing to dispose.
internal sealed class LogPipeWriter(SluiceLog log, LogDurability durability) : PipeWriter
#pragma warning restore CA1001
{
    private readonly ArrayBufferWriter<byte> _record = new();

    /// <summary>The records of flushes that have not ended, or were canceled.</summary>
    private readonly Queue<byte[]> _records = new();
    private CancellationTokenSource _cancellation = new();
    private bool _isCompleted;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _records.Sum(static r => (long)r.Length) + _record.WrittenCount;

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (_isCompleted)
        {
            throw new InvalidOperationException("Writing is not allowed after the writer was completed.");
        }

        return _record.GetMemory(sizeHint);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override void Advance(int bytes) => _record.Advance(bytes);

    public override async ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        CancellationTokenSource cancellation = Volatile.Read(ref _cancellation);
        using CancellationTokenSource? both = cancellationToken.CanBeCanceled
            ? CancellationTokenSource.CreateLinkedTokenSource(cancellation.Token, cancellationToken)
            : null;
        try
        {
            await AppendAsync((both ?? cancellation).Token).ConfigureAwait(false);
            return default;
        }
        catch (OperationCanceledException) when (!cancellationToken.IsCancellationRequested)
        {
            Volatile.Write(ref _cancellation, new CancellationTokenSource());
            return new FlushResult(isCanceled: true, isCompleted: false);
        }
        catch (OperationCanceledException e) when (e.CancellationToken != cancellationToken)
        {
            throw new OperationCanceledException(e.Message, e, cancellationToken);
        }
    }

    /// <summary>Cancels the flush that waits for memory of the log, or else the next one. Its record stays for the flush after it.</summary>
    public override void CancelPendingFlush() => Volatile.Read(ref _cancellation).Cancel();

    public override void Complete(Exception? exception = null)
    {
        foreach (byte[] record in TakeRest(exception))
        {
            _ = log.Append(record, durability);
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        foreach (byte[] record in TakeRest(exception))
        {
            _ = await log.AppendAsync(record, durability).ConfigureAwait(false);
        }
    }

    private byte[][] TakeRest(Exception? exception)
    {
        TakeRecord();
        byte[][] records = exception is null ? [.. _records] : [];
        _isCompleted = true;
        _records.Clear();
        return records;
    }

    private void TakeRecord()
    {
        if (_record.WrittenCount > 0)
        {
            _records.Enqueue(_record.WrittenSpan.ToArray());
            _record.ResetWrittenCount();
        }
    }

    /// <summary>
    /// Appends the bytes that were written, after the records of canceled flushes. A record that cannot be appended for another reason than
    /// a cancellation is discarded.
    /// </summary>
    private async ValueTask AppendAsync(CancellationToken cancellationToken)
    {
        TakeRecord();
        while (_records.TryPeek(out byte[]? record))
        {
            try
            {
                _ = await log.AppendAsync(record, durability, cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (e is not OperationCanceledException)
            {
                _ = _records.Dequeue();
                throw;
            }

            _ = _records.Dequeue();
        }
    }
}
