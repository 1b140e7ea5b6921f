using System.Runtime.ExceptionServices;
using System.Text;

namespace Sluice.Log;

/// <summary>A text writer whose lines are records: a line is appended when its end was written. Not thread-safe.</summary>
internal sealed class LogTextWriter(SluiceLog log, LogDurability durability, bool keepsLineEnds) : TextWriter
{
    private readonly StringBuilder _line = new();

    private LogDurability FlushDurability => durability == LogDurability.Buffered ? LogDurability.Written : durability;

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
        ExceptionDispatchInfo? failure = null;
        int end;
        while ((end = buffer.IndexOf('\n')) >= 0)
        {
            _line.Append(buffer[..end]);
            try
            {
                EndLine();
            }
            catch (Exception e)
            {
                // The lines after the failed one are appended nevertheless, each as a record of its own.
                failure ??= ExceptionDispatchInfo.Capture(e);
            }

            buffer = buffer[(end + 1)..];
        }

        _line.Append(buffer);
        failure?.Throw();
    }

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    public override void Write(string? value) => Write(value.AsSpan());

    /// <summary>
    /// Waits until complete lines are written, or durable if the writer has that durability. A line without an end stays in memory.
    /// </summary>
    public override void Flush() => log.Flush(FlushDurability);

    public override async Task FlushAsync() => await log.FlushAsync(FlushDurability).ConfigureAwait(false);

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
