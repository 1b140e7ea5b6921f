using System.Text;

namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// The records of <see cref="RecordSource"/> as a text of a given size, in every form that a method returns or needs. It is ASCII, so a
/// byte is a character.
/// </summary>
internal sealed class TextSample
{
    /// <param name="sizeBytes">The exact size, including the last line end.</param>
    public TextSample(int sizeBytes)
    {
        Content = new byte[sizeBytes];
        int end = Math.Max(0, sizeBytes - Environment.NewLine.Length);
        new RecordSource(long.MaxValue, CancellationToken.None).Fill(Content.AsSpan(0, end));
        // A carriage return without a line feed is a line end for only some readers.
        if (Environment.NewLine == "\n")
            Content.AsSpan().Replace((byte)'\r', (byte)' ');
        else if (end > 0 && Content[end - 1] == '\r')
            Content[end - 1] = (byte)' ';
        Encoding.ASCII.GetBytes(Environment.NewLine.AsSpan(0, sizeBytes - end), Content.AsSpan(end));
        Text = Encoding.ASCII.GetString(Content);
        Chars = Text.ToCharArray();
        Lines = Text[..end].Split(Environment.NewLine);
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

    /// <summary>Describes the difference of bytes from the text; returns null if there is none.</summary>
    public string? Difference(ReadOnlySpan<byte> bytes) => Difference(bytes, Content, "bytes");

    /// <inheritdoc cref="Difference(ReadOnlySpan{byte})"/>
    public string? Difference(ReadOnlySpan<char> characters) => Difference(characters, Chars, "characters");

    private static string? Difference<T>(ReadOnlySpan<T> actual, ReadOnlySpan<T> expected, string unit)
        where T : IEquatable<T>
    {
        if (actual.Length != expected.Length)
            return $"{actual.Length:#,0} {unit}, not {expected.Length:#,0}";
        int same = actual.CommonPrefixLength(expected);
        return same == expected.Length ? null : $"other {unit} from {same:#,0} on";
    }
}
