using System.Text;

namespace Sluice.Serilog;

/// <summary>
/// An event's text in memory that is used again: a thread keeps one, and an event within an event (a formatter that logs) takes another.
/// </summary>
internal sealed class EventText : TextWriter
{
    private const int MaxKept = 64 * 1024;

    /// <summary>This thread's alone: an event is written on the thread that logs, without a lock.</summary>
    [ThreadStatic]
    private static EventText? t_kept;

    private char[] _chars = new char[512];
    private byte[] _bytes = new byte[1024];
    private int _length;

    private EventText()
        : base(System.Globalization.CultureInfo.InvariantCulture) => NewLine = "\n";

    public override Encoding Encoding => Encoding.UTF8;

    public static EventText Rent()
    {
        EventText text = t_kept ?? new EventText();
        t_kept = null;
        return text;
    }

    public void Return()
    {
        _length = 0;
        if (NewLine != "\n")
        {
            // A formatter may set its own, which is nobody else's.
            NewLine = "\n";
        }

        if (_chars.Length <= MaxKept)
        {
            t_kept = this;
        }
    }

    /// <summary>In UTF-8, with one line end or without one; until the next use.</summary>
    public ReadOnlySpan<byte> ToRecord(bool endsLine)
    {
        Span<char> text = _chars.AsSpan(0, _length).TrimEnd("\r\n");
        int most = Encoding.UTF8.GetMaxByteCount(text.Length) + 1;
        if (_bytes.Length < most)
        {
            _bytes = new byte[most];
        }

        int bytes = Encoding.UTF8.GetBytes(text, _bytes);
        if (endsLine)
        {
            _bytes[bytes++] = (byte)'\n';
        }

        return _bytes.AsSpan(0, bytes);
    }

    public override void Write(char value)
    {
        if (_length == _chars.Length)
        {
            Grow(1);
        }

        _chars[_length++] = value;
    }

    public override void Write(ReadOnlySpan<char> buffer)
    {
        if (buffer.Length > _chars.Length - _length)
        {
            Grow(buffer.Length);
        }

        buffer.CopyTo(_chars.AsSpan(_length));
        _length += buffer.Length;
    }

    public override void Write(char[] buffer, int index, int count) => Write(buffer.AsSpan(index, count));

    public override void Write(string? value) => Write(value.AsSpan());

    private void Grow(int more) => Array.Resize(ref _chars, checked(Math.Max(2 * _chars.Length, _length + more)));
}
