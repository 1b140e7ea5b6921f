using System.Text;

namespace Sluice.Serilog;

/// <summary>
/// Collects the text of an event in a reusable buffer. Each thread has one instance; a nested event (a formatter that logs) uses another
/// one.
/// </summary>
internal sealed class EventText : TextWriter
{
    private const int MaxKept = 64 * 1024;

    /// <summary>The instance of this thread, so that no lock is needed.</summary>
    [ThreadStatic]
    private static EventText? t_cached;

    private char[] _chars = new char[512];
    private byte[] _bytes = new byte[1024];
    private int _length;

    private EventText()
        : base(System.Globalization.CultureInfo.InvariantCulture) => NewLine = "\n";

    public override Encoding Encoding => Encoding.UTF8;

    public static EventText Rent()
    {
        EventText text = t_cached ?? new EventText();
        t_cached = null;
        return text;
    }

    public void Return()
    {
        _length = 0;
        if (NewLine != "\n")
        {
            // A formatter may have changed the property.
            NewLine = "\n";
        }

        if (_chars.Length <= MaxKept)
        {
            t_cached = this;
        }
    }

    /// <summary>Returns the text in UTF-8, with exactly one line ending or without one. The result is valid until the next use.</summary>
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
