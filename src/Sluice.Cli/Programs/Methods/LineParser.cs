namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// Cuts blocks into lines, as the article's parsing methods do. A line that goes on in the next block is kept until then.
/// </summary>
internal sealed class LineParser<T>(T lineFeed, T carriageReturn, LineParser<T>.LineAction add)
    where T : unmanaged, IEquatable<T>
{
    private readonly List<T> _kept = [];

    public delegate void LineAction(ReadOnlySpan<T> line);

    public void Feed(ReadOnlySpan<T> block)
    {
        int end;
        while ((end = block.IndexOf(lineFeed)) >= 0)
        {
            if (_kept.Count == 0)
            {
                Add(block[..end]);
            }
            else
            {
                _kept.AddRange(block[..end]);
                Add(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_kept));
                _kept.Clear();
            }
            block = block[(end + 1)..];
        }
        _kept.AddRange(block);
    }

    /// <summary>The last line need not end.</summary>
    public void End()
    {
        if (_kept.Count > 0)
            Add(System.Runtime.InteropServices.CollectionsMarshal.AsSpan(_kept));
        _kept.Clear();
    }

    private void Add(ReadOnlySpan<T> line) =>
        add(line.Length > 0 && line[^1].Equals(carriageReturn) ? line[..^1] : line);
}

/// <summary>Parsers that sum up the lines they find.</summary>
internal static class LineParsing
{
    public static LineParser<byte> OfBytes(Checksum sum) => new((byte)'\n', (byte)'\r', sum.AddLine);

    public static LineParser<char> OfChars(Checksum sum) => new('\n', '\r', sum.AddLine);
}
