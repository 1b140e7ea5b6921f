namespace Sluice.Cli.Programs.Methods;

/// <summary>What a method read, in whichever form; it is compared with the text after the clock has stopped.</summary>
internal abstract record MethodResult
{
    /// <summary>A method that writes has nothing to show but its file.</summary>
    public static MethodResult Written { get; } = new OfNothing();

    public static MethodResult Bytes(ReadOnlyMemory<byte> bytes) => new OfBytes(bytes);

    public static MethodResult Text(ReadOnlyMemory<char> text) => new OfText(text);

    public static MethodResult Lines(IEnumerable<string> lines) => new OfLines(lines);

    /// <summary>Lines that were not kept.</summary>
    public static MethodResult Lines(Checksum sum) => new OfSum(sum);

    /// <summary>What is wrong with it, or null.</summary>
    public abstract string? Difference(TextSample expected);

    protected static string? Compare<T>(ReadOnlySpan<T> actual, ReadOnlySpan<T> expected, string unit)
        where T : IEquatable<T>
    {
        if (actual.Length != expected.Length)
            return $"{actual.Length:#,0} {unit}, not {expected.Length:#,0}";
        int same = actual.CommonPrefixLength(expected);
        return same == expected.Length ? null : $"other {unit} from {same:#,0} on";
    }

    private sealed record OfNothing : MethodResult
    {
        public override string? Difference(TextSample expected) => null;
    }

    private sealed record OfBytes(ReadOnlyMemory<byte> Content) : MethodResult
    {
        public override string? Difference(TextSample expected) => Compare(Content.Span, expected.Content, "bytes");
    }

    private sealed record OfText(ReadOnlyMemory<char> Content) : MethodResult
    {
        public override string? Difference(TextSample expected) => Compare(Content.Span, expected.Chars, "characters");
    }

    private sealed record OfLines(IEnumerable<string> Content) : MethodResult
    {
        public override string? Difference(TextSample expected)
        {
            var sum = new Checksum();
            foreach (string line in Content)
                sum.AddLine(line);
            return sum.Difference(expected.LineSum);
        }
    }

    private sealed record OfSum(Checksum Sum) : MethodResult
    {
        public override string? Difference(TextSample expected) => Sum.Difference(expected.LineSum);
    }
}
