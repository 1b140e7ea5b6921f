using Sluice.Cli.Bench;

namespace Sluice.Cli.Tests.Readme;

/// <summary>One folder of bench/results: a whole run of all suites (full.json), or of older ones a run of each suite.</summary>
internal static class KeptRun
{
    private const string Whole = "full.json";

    /// <summary>What is kept, in the order of the suites; of a whole run each suite's rows by themselves.</summary>
    /// <param name="folder">The folder.</param>
    public static IReadOnlyList<(string Suite, string Path, BenchReport Report)> Read(string folder)
    {
        string whole = Path.Combine(folder, Whole);
        if (!File.Exists(whole))
        {
            return
            [
                .. Suite.All.Select(suite => (suite.Name, Path: Path.Combine(folder, $"{suite.Name}.json")))
                    .Where(kept => File.Exists(kept.Path))
                    .Select(kept => (kept.Name, kept.Path, ReadmeFigures.Read(kept.Path))),
            ];
        }

        BenchReport report = ReadmeFigures.Read(whole);
        return
        [
            .. Suite.All.Select(suite => (suite.Name, Rows: report.Rows.Where(row => row.Suite == suite.Name).ToArray()))
                .Where(kept => kept.Rows.Length > 0)
                .Select(kept => (kept.Name, whole, report with { Rows = kept.Rows })),
        ];
    }
}
