using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Extents;

/// <summary>Counts extents by size, in classes of which each is four times as large as the one before.</summary>
internal sealed class ExtentHistogram
{
    private const long SmallestLimitBytes = 4 * ByteSize.KiB;
    private const int Factor = 4;
    private const int LimitedClasses = 9;

    private readonly long[] _counts = new long[LimitedClasses + 1];
    private readonly long[] _bytes = new long[LimitedClasses + 1];

    public void Add(FileExtent extent)
    {
        int index = 0;
        for (long limit = SmallestLimitBytes; index < LimitedClasses && extent.Length > limit; limit *= Factor)
            index++;
        _counts[index]++;
        _bytes[index] += extent.Length;
    }

    /// <summary>The classes from the first to the last that has an extent; the largest one has no upper limit.</summary>
    public IReadOnlyList<ExtentClass> Classes()
    {
        int first = Array.FindIndex(_counts, c => c > 0);
        if (first < 0)
            return [];
        int last = Array.FindLastIndex(_counts, c => c > 0);
        var classes = new List<ExtentClass>();
        for (int i = first; i <= last; i++)
        {
            long? limit = i == LimitedClasses ? null : SmallestLimitBytes << (2 * i);
            classes.Add(new ExtentClass(limit, _counts[i], _bytes[i]));
        }
        return classes;
    }
}

/// <summary>Extents of one size class.</summary>
/// <param name="LimitBytes">The largest that belongs here; null: larger than the class before.</param>
internal sealed record ExtentClass(long? LimitBytes, long Extents, long Bytes)
{
    public string Name => LimitBytes is { } limit ? $"up to {ByteSize.Format(limit)}" : "larger";
}
