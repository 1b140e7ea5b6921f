using System.Text;

namespace Sluice.Hostile.Tests.Support;

/// <summary>UTF-16 as a caller of one's own might write it, whose every member throws when its turn has come.</summary>
internal sealed class HostileEncoding(Countdown countdown) : Encoding
{
    private readonly UnicodeEncoding _inner = new();

    public override string EncodingName => countdown.Hit("hostile");

    public override int CodePage => countdown.Hit(0);

    public override ReadOnlySpan<byte> Preamble => countdown.Hit(0) == 0 ? _inner.Preamble : default;

    public override byte[] GetPreamble() => countdown.Hit(_inner.GetPreamble());

    public override int GetByteCount(char[] chars, int index, int count) => countdown.Hit(_inner.GetByteCount(chars, index, count));

    public override int GetBytes(char[] chars, int charIndex, int charCount, byte[] bytes, int byteIndex) =>
        countdown.Hit(_inner.GetBytes(chars, charIndex, charCount, bytes, byteIndex));

    public override int GetCharCount(byte[] bytes, int index, int count) => countdown.Hit(_inner.GetCharCount(bytes, index, count));

    public override int GetChars(byte[] bytes, int byteIndex, int byteCount, char[] chars, int charIndex) =>
        countdown.Hit(_inner.GetChars(bytes, byteIndex, byteCount, chars, charIndex));

    public override int GetMaxByteCount(int charCount) => countdown.Hit(_inner.GetMaxByteCount(charCount));

    public override int GetMaxCharCount(int byteCount) => countdown.Hit(_inner.GetMaxCharCount(byteCount));

    public override Encoder GetEncoder() => countdown.Hit(new HostileEncoder(countdown, _inner.GetEncoder()));

    public override Decoder GetDecoder() => countdown.Hit(new HostileDecoder(countdown, _inner.GetDecoder()));

    private sealed class HostileEncoder(Countdown countdown, Encoder inner) : Encoder
    {
        public override int GetByteCount(char[] chars, int index, int count, bool flush) =>
            countdown.Hit(inner.GetByteCount(chars, index, count, flush));

        public override int GetBytes(char[] chars, int charIndex, int charCount, byte[] bytes, int byteIndex, bool flush)
        {
            countdown.Hit();
            return inner.GetBytes(chars, charIndex, charCount, bytes, byteIndex, flush);
        }

        public override void Reset()
        {
            countdown.Hit();
            inner.Reset();
        }
    }

    private sealed class HostileDecoder(Countdown countdown, Decoder inner) : Decoder
    {
        public override int GetCharCount(byte[] bytes, int index, int count) => countdown.Hit(inner.GetCharCount(bytes, index, count));

        public override int GetChars(byte[] bytes, int byteIndex, int byteCount, char[] chars, int charIndex)
        {
            countdown.Hit();
            return inner.GetChars(bytes, byteIndex, byteCount, chars, charIndex);
        }

        public override void Reset()
        {
            countdown.Hit();
            inner.Reset();
        }
    }
}
