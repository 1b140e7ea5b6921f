using System.Text;

namespace Sluice.Cli.Programs.Methods;

/// <summary>A text of a given size, in every form that a method returns or needs. It is ASCII, so a byte is a character.</summary>
internal sealed class TextSample
{
    private const int Seed = 2012;
    private const int MinWords = 2;
    private const int MaxWords = 20;

    private static readonly string[] Words =
    [
        "water", "gate", "flows", "through", "the", "a", "channel", "mill", "wheel", "lock", "level", "rises", "slowly", "and", "falls",
        "again", "over", "stones", "into", "basin", "of", "clear", "spring", "weir", "under", "bridge", "past", "meadow", "to", "sea",
    ];

    /// <param name="sizeBytes">The exact size, including the last line end.</param>
    public TextSample(int sizeBytes)
    {
        var text = new StringBuilder(sizeBytes);
        var random = new Random(Seed);
        while (text.Length < sizeBytes)
        {
            int words = random.Next(MinWords, MaxWords);
            for (int i = 0; i < words; i++)
                text.Append(Words[random.Next(Words.Length)]).Append(' ');
            text.Length--;
            text.Append(Environment.NewLine);
        }
        text.Length = sizeBytes;
        // The text is cut to the size without a line end, and a line end is appended.
        int end = Math.Min(sizeBytes, Environment.NewLine.Length);
        text.Remove(sizeBytes - end, end);
        // A carriage return at the cut is replaced, because alone it is a line end for only some readers.
        if (text.Length > 0 && text[^1] == '\r')
            text[^1] = ' ';
        text.Append(Environment.NewLine.AsSpan(0, end));
        Text = text.ToString();
        Chars = Text.ToCharArray();
        Content = Encoding.ASCII.GetBytes(Text);
        Lines = [.. ReadLines(Text)];
        LineSum = SumOf(Lines);
    }

    public int SizeBytes => Content.Length;

    public string Text { get; }

    public char[] Chars { get; }

    public byte[] Content { get; }

    public string[] Lines { get; }

    /// <summary>The number and the checksum of the lines.</summary>
    public Checksum LineSum { get; }

    public static Checksum SumOf(IEnumerable<string> lines)
    {
        var sum = new Checksum();
        foreach (string line in lines)
            sum.AddLine(line);
        return sum;
    }

    private static IEnumerable<string> ReadLines(string text)
    {
        using var reader = new StringReader(text);
        while (reader.ReadLine() is { } line)
            yield return line;
    }
}
