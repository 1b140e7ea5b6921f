using System.Buffers;
using System.IO.Pipelines;

namespace Sluice.Log;

/// <summary>A pipe into the log: what was written up to a flush is one record. For one producer at a time, as pipe writers are.</summary>
#pragma warning disable CA1001 // Without a timer or a wait handle a source of cancellations holds nothing that is to be given back.
internal sealed class LogPipeWriter(SluiceLog log, LogDurability durability) : PipeWriter
#pragma warning restore CA1001
{
    private readonly ArrayBufferWriter<byte> _record = new();

    /// <summary>The records of canceled flushes, which the next flush appends first.</summary>
    private readonly Queue<byte[]> _canceled = new();
    private CancellationTokenSource _cancellation = new();
    private bool _isCompleted;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _canceled.Sum(static r => (long)r.Length) + _record.WrittenCount;

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

    public override ValueTask<FlushResult> WriteAsync(ReadOnlyMemory<byte> source, CancellationToken cancellationToken = default)
    {
        // What is refused is refused as a whole, before anything of it is taken.
        log.ThrowIfReserved();
        return base.WriteAsync(source, cancellationToken);
    }

    /// <summary>Cancels the flush that waits for memory of the log, or else the next one. Its record stays for the flush after it.</summary>
    public override void CancelPendingFlush() => Volatile.Read(ref _cancellation).Cancel();

    public override void Complete(Exception? exception = null)
    {
        foreach (ReadOnlyMemory<byte> record in Complete(exception is null))
        {
            _ = log.Append(record.Span, durability);
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        foreach (ReadOnlyMemory<byte> record in Complete(exception is null))
        {
            _ = await log.AppendAsync(record, durability).ConfigureAwait(false);
        }
    }

    /// <summary>Ends the writer and returns the records that are still to be appended. A later call returns none.</summary>
    private List<ReadOnlyMemory<byte>> Complete(bool appends)
    {
        List<ReadOnlyMemory<byte>> records = [];
        if (appends && !_isCompleted)
        {
            records.AddRange(_canceled.Select(static r => (ReadOnlyMemory<byte>)r));
            if (_record.WrittenCount > 0)
            {
                records.Add(_record.WrittenMemory);
            }

            if (records.Count > 0)
            {
                // A call that is refused completes nothing.
                log.ThrowIfReserved();
            }
        }

        _isCompleted = true;
        _canceled.Clear();
        _record.ResetWrittenCount();
        return records;
    }

    private async ValueTask AppendAsync(CancellationToken cancellationToken)
    {
        if (_canceled.Count == 0 && _record.WrittenCount == 0)
        {
            return;
        }

        log.ThrowIfReserved();
        while (_canceled.TryPeek(out byte[]? record))
        {
            await AppendAsync(record, cancellationToken).ConfigureAwait(false);
            _ = _canceled.Dequeue();
        }

        if (_record.WrittenCount == 0)
        {
            return;
        }

        try
        {
            await AppendAsync(_record.WrittenMemory, cancellationToken).ConfigureAwait(false);
        }
        catch (OperationCanceledException)
        {
            _canceled.Enqueue(_record.WrittenSpan.ToArray());
            _record.ResetWrittenCount();
            throw;
        }

        _record.ResetWrittenCount();
    }

    /// <summary>Appends a record. If that fails for another reason than a cancellation, the record is discarded.</summary>
    private async ValueTask AppendAsync(ReadOnlyMemory<byte> record, CancellationToken cancellationToken)
    {
        try
        {
            _ = await log.AppendAsync(record, durability, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (e is not OperationCanceledException)
        {
            if (_canceled.Count > 0)
            {
                _ = _canceled.Dequeue();
            }
            else
            {
                _record.ResetWrittenCount();
            }

            throw;
        }
    }
}
