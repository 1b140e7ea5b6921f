namespace Sluice.Cli.Bench;

/// <summary>What a suite takes in the scratch folder.</summary>
/// <param name="PassingBytes">What a row makes and takes with it, of the row that makes most.</param>
/// <param name="Kept">Files that stay until the run is over, by their names: suites that have the same one share it.</param>
internal sealed record SuiteSpace(long PassingBytes, params IReadOnlyList<(string Name, long Bytes)> Kept)
{
    /// <summary>All that these suites take at once, with a little to spare.</summary>
    public static long Sum(IEnumerable<SuiteSpace> suites)
    {
        SuiteSpace[] all = [.. suites];
        return all.SelectMany(static s => s.Kept).DistinctBy(static k => k.Name).Sum(static k => k.Bytes)
            + all.Max(static s => s.PassingBytes) + BenchScale.SpareBytes;
    }
}
