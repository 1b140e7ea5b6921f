using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

/// <summary>
/// README.md says what the kept result and the samples say. After a new result: SLUICE_UPDATE_README=1 dotnet test
/// tests/Sluice.Cli.Tests
/// </summary>
[Trait("Runs", "once")]
public sealed class ReadmeTests
{
    internal static readonly string Root = FindRoot();
    private static readonly string ReadmePath = Path.Combine(Root, "README.md");

    [Fact]
    public void First_page_is_made_from_the_kept_run_of_everyday_work()
    {
        (string path, BenchReport report) = FindEverydayRun();

        Check(ReadmePath, page => ReadmeFigures.Replace(page, ReadmeFigures.MakeFirstPage(report, path)));
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
