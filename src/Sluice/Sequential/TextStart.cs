using System.Text;

namespace Sluice.Sequential;

/// <summary>Detects the encoding from the first bytes of a file, with the rules of <see cref="StreamReader"/>.</summary>
internal static class TextStart
{
    /// <summary>The maximum length of a byte order mark.</summary>
    public const int MaxBytes = 4;

    private static readonly UTF32Encoding BigEndianUtf32 = new(bigEndian: true, byteOrderMark: true);

    /// <summary>Returns the encoding of a file and the length of the byte order mark.</summary>
    /// <param name="start">The first bytes of the file: at least <see cref="MaxBytes"/>, or all of them.</param>
    /// <param name="asked">The encoding that the caller specified. Its own mark takes precedence.</param>
    public static Encoding Detect(ReadOnlySpan<byte> start, Encoding asked, out int markBytes)
    {
        ReadOnlySpan<byte> preamble = asked.Preamble;
        if (!preamble.IsEmpty && start.StartsWith(preamble))
        {
            markBytes = preamble.Length;
            return asked;
        }

        if (start.Length < preamble.Length && preamble.StartsWith(start))
        {
            // The file ends within the mark. No other mark is tried.
            markBytes = 0;
            return asked;
        }

        if (start is [0xFE, 0xFF, ..])
        {
            markBytes = 2;
            return Encoding.BigEndianUnicode;
        }

        if (start is [0xFF, 0xFE, ..])
        {
            bool isUtf32 = start is [_, _, 0, 0, ..];
            markBytes = isUtf32 ? 4 : 2;
            return isUtf32 ? Encoding.UTF32 : Encoding.Unicode;
        }

        if (start is [0xEF, 0xBB, 0xBF, ..])
        {
            markBytes = 3;
            return Encoding.UTF8;
        }

        if (start is [0, 0, 0xFE, 0xFF, ..])
        {
            markBytes = 4;
            return BigEndianUtf32;
        }

        markBytes = 0;
        return asked;
    }
}
