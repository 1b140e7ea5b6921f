using System.Text;
using FsCheck;
using FsCheck.Fluent;

namespace Sluice.Tests.Sequential;

/// <summary>Generated texts: every kind of line end, long lines, characters of every length, and bytes that are no text.</summary>
internal static class LineTexts
{
    private static readonly string[] Fragments =
    [
        "", "a", "bc", "\n", "\r", "\r\n", "\n\n", "\r\r\n", "\0", "\t ", "é", "€", "😀", "\u2028", "\u0085", "\f\v", "\uFEFF", "line",
        new string('x', 63), new string('y', 64), new string('z', 65), new string('l', 700) + "\n", new string('m', 5000),
    ];

    private static readonly byte[][] RawFragments =
    [
        [0xEF, 0xBB, 0xBF], [0xEF, 0xBB], [0xEF], [0xFF], [0xC3], [0xE2, 0x82], [0x80], [0xED, 0xA0, 0x80], [0xF0, 0x9F, 0x98],
        "\n"u8.ToArray(), "\r"u8.ToArray(), "\r\n"u8.ToArray(), "abc"u8.ToArray(), "ü"u8.ToArray(), new byte[70], [0xFE, 0xFF],
        [0xFF, 0xFE, 0, 0],
    ];

    public static Arbitrary<string> Text { get; } =
        Gen.Elements(Fragments).ArrayOf().Select(string.Concat).ToArbitrary();

    public static Arbitrary<byte[]> Raw { get; } =
        Gen.Elements(RawFragments).ArrayOf().Select(parts => parts.SelectMany(p => p).ToArray()).ToArbitrary();

    public static void Check(Property property, int tests = 25) =>
        property.Check(Config.QuickThrowOnFailure.WithMaxTest(tests));

    /// <summary>The lines of StreamReader, re-encoded: what byte lines must be for valid UTF-8.</summary>
    public static List<string> LinesOf(byte[] content, Encoding? encoding = null)
    {
        using StreamReader reader = new(new MemoryStream(content), encoding ?? Encoding.UTF8);
        List<string> lines = [];
        while (reader.ReadLine() is { } line)
        {
            lines.Add(line);
        }

        return lines;
    }
}
