using System.Runtime.InteropServices;

namespace Sluice.Cli.Programs.Methods;

/// <summary>
/// Splits blocks into lines, like the parsing methods of the article "Efficient File I/O From C#". A line that continues in the next block
/// is kept until then.
/// </summary>
internal sealed class LineParser<T>(T lineFeed, T carriageReturn, LineParser<T>.LineAction add)
    where T : unmanaged, IEquatable<T>
{
    private readonly List<T> _kept = [];

    public delegate void LineAction(ReadOnlySpan<T> line);

    public void Feed(ReadOnlySpan<T> block)
    {
        for (int end; (end = block.IndexOf(lineFeed)) >= 0; block = block[(end + 1)..])
        {
            if (_kept.Count == 0)
            {
                Add(block[..end]);
                continue;
            }
            _kept.AddRange(block[..end]);
            AddKept();
        }
        _kept.AddRange(block);
    }

    /// <summary>Ends the text, and adds a last line without a line end.</summary>
    public void End()
    {
        if (_kept.Count > 0)
            AddKept();
    }

    private void AddKept()
    {
        Add(CollectionsMarshal.AsSpan(_kept));
        _kept.Clear();
    }

    private void Add(ReadOnlySpan<T> line) =>
        add(line.Length > 0 && line[^1].Equals(carriageReturn) ? line[..^1] : line);
}
