using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Sluice.Log;

/// <summary>A pipe into the log: what was written up to a flush is one record. For one producer at a time, as pipe writers are.</summary>
#pragma warning disable CA1001 // Without a timer or a wait handle a source of cancellations holds nothing that is to be given back.
internal sealed class LogPipeWriter(SluiceLog log, LogDurability durability) : PipeWriter
#pragma warning restore CA1001
{
    private readonly ArrayBufferWriter<byte> _record = new();
    private CancellationTokenSource _cancellation = new();
    private bool _isCompleted;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _record.WrittenCount;

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

    /// <summary>The flush that waits for memory of the log, or else the next one, appends nothing; the bytes stay.</summary>
    public override void CancelPendingFlush() => Volatile.Read(ref _cancellation).Cancel();

    public override void Complete(Exception? exception = null)
    {
        if (TryComplete(exception, out ReadOnlyMemory<byte> last))
        {
            _ = log.Append(last.Span, durability);
        }
    }

    public override async ValueTask CompleteAsync(Exception? exception = null)
    {
        if (TryComplete(exception, out ReadOnlyMemory<byte> last))
        {
            _ = await log.AppendAsync(last, durability).ConfigureAwait(false);
        }
    }

    /// <summary>Whether there is a last record. A flush that comes later has none.</summary>
    private bool TryComplete(Exception? exception, out ReadOnlyMemory<byte> last)
    {
        last = _record.WrittenMemory;
        bool appends = !_isCompleted && exception is null && !last.IsEmpty;
        _isCompleted = true;
        _record.ResetWrittenCount();
        return appends;
    }

    private async ValueTask AppendAsync(CancellationToken cancellationToken)
    {
        if (_record.WrittenCount > 0)
        {
            _ = await log.AppendAsync(_record.WrittenMemory, durability, cancellationToken).ConfigureAwait(false);
            _record.ResetWrittenCount();
        }
    }
}

/// <summary>Text whose lines are records: a line is appended when its end was written. For one thread at a time, as text writers
/// are.</summary>
internal sealed class LogTextWriter(SluiceLog log, LogDurability durability, bool keepsLineEnds) : TextWriter
{
    private readonly StringBuilder _line = new();

    public override Encoding Encoding => Encoding.UTF8;

    public override void Write(char value)
    {
        if (value == '\n')
        {
            EndLine();
        }
        else
        {
            _line.Append(value);
        }
    }

    public override void Write(ReadOnlySpan<char> buffer)
    {
        int end;
        while ((end = buffer.IndexOf('\n')) >= 0)
        {
            _line.Append(buffer[..end]);
            EndLine();
            buffer = buffer[(end + 1)..];
        }

        _line.Append(buffer);
    }

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    public override void Write(string? value) => Write(value.AsSpan());

    /// <summary>A line that has no end yet stays here.</summary>
    public override void Flush() => log.Flush(durability);

    protected override void Dispose(bool disposing)
    {
        if (disposing && _line.Length > 0)
        {
            EndLine();
        }

        base.Dispose(disposing);
    }

    private void EndLine()
    {
        if (keepsLineEnds)
        {
            _line.Append('\n');
        }
        else if (_line.Length > 0 && _line[^1] == '\r')
        {
            _line.Length--;
        }

        byte[] record = Encoding.UTF8.GetBytes(_line.ToString());
        _line.Clear();
        _ = log.Append(record, durability);
    }
}
