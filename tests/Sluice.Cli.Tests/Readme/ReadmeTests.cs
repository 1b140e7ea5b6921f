using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

/// <summary>
/// The README says what the kept results and the samples say. After a new result: SLUICE_UPDATE_README=1 dotnet test tests/Sluice.Cli.Tests
/// </summary>
public sealed class ReadmeTests
{
    private static readonly string Root = FindRoot();
    private static readonly string ReadmePath = Path.Combine(Root, "README.md");

    [SkippableFact]
    public void Table_is_made_from_the_kept_result()
    {
        string[] kept = FindKeptResults();
        Skip.If(kept.Length == 0, "No result of the suite 'handle' is kept in bench/results yet.");
        string readme = File.ReadAllText(ReadmePath);

        // Of several machines the README shows the one that it links to; at first the only one, or the first by name.
        string path = kept.FirstOrDefault(candidate => readme.Contains($"]({candidate})", StringComparison.Ordinal)) ?? kept[0];
        string expected = ReadmeFigures.Replace(readme, ReadmeFigures.Make(ReadmeFigures.Read(Path.Combine(Root, path)), path));
        if (Environment.GetEnvironmentVariable("SLUICE_UPDATE_README") == "1")
        {
            File.WriteAllText(ReadmePath, expected);
            return;
        }

        readme.ShouldBe(expected, "README.md's table is not made from " + path);
    }

    [SkippableFact]
    public void Kept_results_are_whole_runs_of_every_row()
    {
        string[] kept = FindKeptResults();
        Skip.If(kept.Length == 0, "No result of the suite 'handle' is kept in bench/results yet.");
        foreach (string path in kept)
        {
            BenchReport report = ReadmeFigures.Read(Path.Combine(Root, path));

            report.Quick.ShouldBeFalse(path);
            report.Interrupted.ShouldBeFalse(path);
            report.Rows.Count.ShouldBeGreaterThanOrEqualTo(23, path);
        }
    }

    [Fact]
    public void Sample_is_the_one_that_is_compiled()
    {
        string compiled = File.ReadAllText(Path.Combine(Root, "samples", "Sample.Readme", "Program.cs")).Trim();

        File.ReadAllText(ReadmePath).ShouldContain($"```csharp\nusing Sluice;\n\n{compiled}\n```");
    }

    [Theory]
    [InlineData("dotnet run -c Release --project src/Sluice.Cli -- bench")]
    [InlineData("dotnet test")]
    public void Commands_stand_on_lines_of_their_own(string command) => File.ReadAllLines(ReadmePath).ShouldContain(command);

    [Fact]
    public void Links_lead_to_files_that_exist()
    {
        string readme = File.ReadAllText(ReadmePath);
        string[] targets = [.. readme.Split("](").Skip(1).Select(rest => rest[..rest.IndexOf(')')])];

        targets.ShouldNotBeEmpty();
        foreach (string target in targets)
        {
            Path.Exists(Path.Combine(Root, target)).ShouldBeTrue(target);
        }
    }

    private static string[] FindKeptResults()
    {
        string results = Path.Combine(Root, "bench", "results");
        return Directory.Exists(results)
            ? [.. Directory.GetFiles(results, "handle.json", SearchOption.AllDirectories)
                .Select(path => Path.GetRelativePath(Root, path).Replace('\\', '/'))
                .Order(StringComparer.Ordinal)]
            : [];
    }

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
