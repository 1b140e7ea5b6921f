using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Extents;

/// <summary>Counts extents by size. Each class is four times as large as the preceding one.</summary>
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

    /// <summary>Returns the classes from the first to the last one with an extent. The largest class has no upper limit.</summary>
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

/// <summary>The extents of one size class.</summary>
/// <param name="LimitBytes">The largest size of the class; null for the last class, which has no limit.</param>
internal sealed record ExtentClass(long? LimitBytes, long Extents, long Bytes)
{
    public string Name => LimitBytes is { } limit ? $"up to {ByteSize.Format(limit)}" : "larger";
}
