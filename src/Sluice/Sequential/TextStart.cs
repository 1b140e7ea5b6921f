using System.Text;

namespace Sluice.Sequential;

/// <summary>What the first bytes of a file say about its encoding: the rules of <see cref="StreamReader"/>.</summary>
internal static class TextStart
{
    /// <summary>The longest byte order mark.</summary>
    public const int MaxBytes = 4;

    private static readonly UTF32Encoding BigEndianUtf32 = new(bigEndian: true, byteOrderMark: true);

    /// <summary>The encoding to decode with, and how many bytes of its mark come first.</summary>
    /// <param name="start">At least <see cref="MaxBytes"/> bytes, or the whole file.</param>
    /// <param name="asked">The encoding that the caller named; its own mark goes before any other.</param>
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
            // A file that ends within the mark: nothing else is looked for in it.
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
