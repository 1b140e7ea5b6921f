using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

/// <summary>
/// README.md and docs/figures.md say what the kept results and the samples say. After a new result: SLUICE_UPDATE_README=1 dotnet test
/// tests/Sluice.Cli.Tests
/// </summary>
[Trait("Runs", "once")]
public sealed class ReadmeTests
{
    internal static readonly string Root = FindRoot();
    private static readonly string ReadmePath = Path.Combine(Root, "README.md");
    private static readonly string FiguresPath = Path.Combine(Root, "docs", "figures.md");

    /// <summary>
    /// The suites of docs/figures.md, in the order in which they are built on each other, and how many rows each has at least.
    /// </summary>
    private static readonly (string Name, int Rows)[] Suites =
        [("handle", 23), ("stream", 30), ("sequential", 9), ("files", 5), ("log", 10)];

    [Fact]
    public void First_page_is_made_from_the_kept_run_of_everyday_work()
    {
        (string path, BenchReport report) = FindEverydayRun();

        Check(ReadmePath, page => ReadmeFigures.Replace(page, "", ReadmeFigures.MakeFirstPage(report, path)));
    }

    [Fact]
    public void Table_of_the_first_page_has_80_columns_at_most()
    {
        (string path, BenchReport report) = FindEverydayRun();

        ReadmeFigures.MakeFirstPage(report, path).Split('\n').Where(static line => line.StartsWith('|'))
            .ShouldAllBe(static line => line.Length <= 80);
    }

    [Fact]
    public void Kept_run_of_everyday_work_is_whole_and_took_two_minutes_at_most()
    {
        (string path, BenchReport report) = FindEverydayRun();

        (report.Quick, report.Interrupted, report.Failure).ShouldBe((false, false, null), path);
        report.Rows.Select(static row => row.Id).Concat(report.Skipped.Select(static row => row.Id))
            .ShouldBe(EverydaySuite.Create().Rows.Select(static row => row.Id), ignoreOrder: true);
        report.Seconds.ShouldBeLessThanOrEqualTo(120);
    }

    [SkippableFact]
    public void Tables_are_made_from_the_kept_results()
    {
        (string Suite, string Path, BenchReport Report)[] kept = FindKeptResults();
        Skip.If(kept.Length == 0, "No result is kept in bench/results yet.");

        Check(FiguresPath, page => kept.Aggregate(page, static (text, result) => ReadmeFigures.Replace(
            text, result.Suite, ReadmeFigures.Make(result.Report, $"../{result.Path}"))));
    }

    [Fact]
    public void Repeated_runs_are_compared_row_by_row()
    {
        BenchReport[][] runs =
        [
            .. RepeatedRuns.Find(Path.Combine(Root, "bench", "results")).Select(static folder =>
                KeptRun.Read(folder).Select(static kept => kept.Report).ToArray()),
        ];

        Check(FiguresPath, page => ReadmeFigures.Replace(page, RepeatedRuns.Block, RepeatedRuns.Make(runs)));
    }

    [SkippableFact]
    public void Kept_results_are_whole_runs_of_every_row()
    {
        (string Suite, string Path, BenchReport Report)[] kept = FindKeptResults();
        Skip.If(kept.Length == 0, "No result is kept in bench/results yet.");
        foreach ((string suite, string path, BenchReport report) in kept)
        {
            report.Quick.ShouldBeFalse(path);
            report.Interrupted.ShouldBeFalse(path);
            report.Rows.ShouldAllBe(row => row.Suite == suite, path);
            report.Rows.Count.ShouldBeGreaterThanOrEqualTo(Suites.First(known => known.Name == suite).Rows, path);
        }
    }

    [Fact]
    public void Sample_of_the_first_page_is_the_one_that_is_compiled()
    {
        string compiled = File.ReadAllText(Path.Combine(Root, "samples", "Sample.Readme", "Program.cs")).Trim();

        File.ReadAllText(ReadmePath).ShouldContain($"```csharp\nusing Sluice;\n\n{compiled}\n```");
    }

    /// <summary>The page says what the results say; with SLUICE_UPDATE_README=1 it is made to.</summary>
    private static void Check(string path, Func<string, string> make)
    {
        string page = File.ReadAllText(path);
        string expected = make(page);
        if (Environment.GetEnvironmentVariable("SLUICE_UPDATE_README") == "1")
        {
            File.WriteAllText(path, expected);
            return;
        }

        page.ShouldBe(expected, $"{Path.GetFileName(path)} is not made from the kept results");
    }

    /// <summary>Of the machine with the most suites, or, of several, of the run that was made last.</summary>
    private static (string Suite, string Path, BenchReport Report)[] FindKeptResults()
    {
        string results = Path.Combine(Root, "bench", "results");
        return !Directory.Exists(results)
            ? []
            : Directory.GetDirectories(results).Select(KeptRun.Read)
                .Where(static run => run.Any(static kept => kept.Suite == "handle"))
                .MaxBy(static run => (run.Count, run[0].Report.Started))?
                .Where(static kept => Suites.Any(shown => shown.Name == kept.Suite))
                .Select(static kept => (kept.Suite, Path.GetRelativePath(Root, kept.Path).Replace('\\', '/'), kept.Report))
                .ToArray() ?? [];
    }

    /// <summary>The latest of the files everyday.json.</summary>
    private static (string Path, BenchReport Report) FindEverydayRun() =>
        Directory.GetFiles(Path.Combine(Root, "bench", "results"), $"{EverydaySuite.Name}.json", SearchOption.AllDirectories)
            .Select(static path => (Path: Path.GetRelativePath(Root, path).Replace('\\', '/'), Report: ReadmeFigures.Read(path)))
            .MaxBy(static run => run.Report.Started);

    private static string FindRoot()
    {
        string? folder = AppContext.BaseDirectory;
        while (folder is not null && !File.Exists(Path.Combine(folder, "Sluice.slnx")))
        {
            folder = Path.GetDirectoryName(folder);
        }

        return folder ?? throw new InvalidOperationException("The tests do not run inside the repository.");
    }
}
