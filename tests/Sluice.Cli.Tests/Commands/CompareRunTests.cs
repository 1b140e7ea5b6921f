using System.Text.Json;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Readme;
using Sluice.Cli.Tests.Report.Pages;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

[Trait("Runs", "once")]
public sealed class CompareRunTests : FolderTest
{
    private static readonly string Kept = Path.Combine(ReadmeTests.Root, "bench", "results", "epyc-2core-virtio-ext4", "handle.json");

    [Fact]
    public async Task A_run_compared_with_itself_has_not_changed()
    {
        ToolRun run = await ToolRun.SucceedAsync("compare", Kept, Kept);
        run.Error.ShouldBe("");
        run.Out.ShouldContain("Nothing changed beyond noise in 75 figures.");
        NoPromise(run.Out);
        run.Out.ShouldContain("open-close");
    }

    [Fact]
    public async Task In_what_two_machines_differ_is_told()
    {
        BenchReport report = Load();
        ToolRun run = await ToolRun.SucceedAsync(
            "compare", Kept, Save(report with { Environment = report.Environment with { DeviceModel = "SSD 9", FreeBytes = 1 } }));
        run.Out.Split('\n').Count(l => l.Contains(" differs: ", StringComparison.Ordinal)).ShouldBe(1);
        run.Out.ShouldMatch("the device differs: .*, then .*SSD 9");
    }

    [Theory]
    [InlineData("handle")]
    [InlineData("figures")]
    public async Task A_result_of_another_format_is_none(string name)
    {
        string kept = Path.Combine(Path.GetDirectoryName(Kept)!, $"{name}.json");
        string text = await File.ReadAllTextAsync(kept);
        await File.WriteAllTextAsync(Folder["later.json"], text.Replace("\"formatVersion\": 1", "\"formatVersion\": 2"));
        await CommandChecks.RefusesAsync(
            "later.json is not a result of this sluice: its format is 2, and 1 is known", "compare", kept, Folder["later.json"]);
    }

    [Fact]
    public async Task Figures_of_several_rounds_have_intervals_and_what_changed_is_said_in_words()
    {
        Save("a.json", [100, 101, 99, 100, 102], [10, 11, 9, 10, 12], [5, 9]);
        Save("b.json", [130, 131, 129, 130, 133], [10, 12, 9, 11, 10], [5, 50]);
        ToolRun run = await ToolRun.SucceedAsync("compare", Folder["a.json"], Folder["b.json"], "--json", Folder["c.json"]);
        run.Error.ShouldBe("");
        run.Out.ShouldContain("1 of 3 figures changed beyond noise.");
        run.Out.ShouldMatch(@"Rounds: faster, rate, MiB/s: higher, x1\.30 \(x1\.2\d to x1\.3\d\)\.");
        run.Out.ShouldContain("In 1 figure the rounds are too few (2 and more), or too far apart, to tell");
        run.Out.ShouldMatch(@"faster\s+rate, MiB/s\s+1\.30\s+higher\s+100\s+130\s+1\.\d+\s+1\.\d+\n");
        run.Out.ShouldMatch(@"same\s+rate, MiB/s\s+1\.00\s+no\s+10\.0\s+10\.0\s+0\.\d+\s+1\.\d+\n");
        run.Out.ShouldMatch(@"two\s+rate, MiB/s\s+3\.93\s+cannot be told\s+7\.00\s+27\.5\n");

        // Of what cannot be told nobody says that it has not changed.
        Save("a.json", [5, 9]);
        Save("b.json", [5, 50]);
        ToolRun untold = await ToolRun.RunAsync("compare", Folder["a.json"], Folder["b.json"]);
        untold.Out.ShouldContain("In 1 figure the rounds are too few");
        untold.Out.ShouldNotContain("Nothing changed");

        void Save(string name, params double[][] rows) => File.WriteAllText(Folder[name], Json(SamplePage.Make() with
        {
            Sections =
            [
                new PageSection
                {
                    Heading = "Rounds",
                    Tables =
                    [
                        new PageTable(
                            [PageColumn.Text("row"), new PageColumn("rate", "MiB/s")],
                            [
                                .. rows.Zip(["faster", "same", "two"])
                                    .Select(r => new PageRow(r.Second, PageCell.Of(Statistics.Median(r.First)).With(r.First))),
                            ]),
                    ],
                },
            ],
        }));
    }

    [Theory]
    [InlineData("ops --size 64K --rounds 3", "beyond noise|too few")]
    [InlineData("methods --size 64K --rounds 2 --method ReadAllBytes --read", "beyond noise|too few")]
    [InlineData("tables --quick --table length", "What changed")]
    [InlineData("doctor", "")]
    public async Task Two_results_of_any_command_can_be_compared(string typed, string words)
    {
        foreach (string name in (string[])["a.json", "b.json"])
            await ToolRun.SucceedAsync([.. typed.Split(' '), Folder.FullPath, "--json", Folder[name]]);
        ToolRun run = await ToolRun.RunAsync("compare", Folder["a.json"], Folder["b.json"]);
        run.ExitCode.ShouldBe(words.Length > 0 ? ExitCode.Success : ExitCode.Usage, run.Error);
        run.Out.ShouldMatch(words);
        if (words.Length > 0)
            NoPromise(run.Out);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Extents_and_the_ageing_of_a_volume_can_be_compared()
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, 64 << 20);
        foreach (string name in (string[])["1", "2"])
        {
            string[] frag = ["frag", "-m8", "-Fm1", "-FM1", "-c4", "-k50", "--leave", "1M", "--force", "-q", "--json",
                Folder[$"f{name}.json"], volume.Path];
            await ToolRun.SucceedAsync(frag);
            await ToolRun.SucceedAsync("extents", "--sync", "--json", Folder[$"e{name}.json"], volume.Path);
        }
        ToolRun frags = await ToolRun.SucceedAsync("compare", Folder["f1.json"], Folder["f2.json"]);
        frags.Out.ShouldMatch(@"1\s+files made\s+1\.00\s+4\s+4");
        ToolRun extents = await ToolRun.SucceedAsync("compare", Folder["e1.json"], Folder["e2.json"]);
        extents.Out.ShouldMatch(@"all\s+files\s+[\d.]+\s+\d+\s+\d+");
    }

    [Theory]
    [InlineData("{}", "cannot be compared")]
    [InlineData("[1, 2]", "cannot be compared")]
    [InlineData("{\"rows\": 1, \"fio\": 2}", "bad.json is not a result of sluice: its rows is not as sluice writes it\n")]
    [InlineData("{\"rows\": [], \"fio\": 2}", "bad.json is not a result of sluice: its fio is not as sluice writes it\n")]
    [InlineData("{\"copies\": [], \"miBPerSecond\": 2}",
        "bad.json is not a result of sluice: a value is missing or invalid\n")]
    [InlineData("not json", "bad.json is not a result of sluice: it is not valid JSON, from line 1 on\n")]
    [InlineData("{\"sections\": [\n}", "bad.json is not a result of sluice: it is not valid JSON, from line 2 on\n")]
    [InlineData("", "bad.json is not a result of sluice: it is empty\n")]
    public async Task A_file_that_is_no_result_is_named_in_one_line(string content, string message)
    {
        await File.WriteAllTextAsync(Folder["bad.json"], content);
        await CommandChecks.RefusesAsync(message, "compare", Kept, Folder["bad.json"]);
    }

    [Theory]
    [InlineData("null")]
    [InlineData("{\"heading\": \"h\", \"charts\": [], \"tables\": [null]}")]
    [InlineData("{\"heading\": \"h\", \"charts\": [], \"tables\": [{\"columns\": [null], \"rows\": []}]}")]
    [InlineData("{\"heading\": \"h\", \"charts\": [], \"tables\": [{\"columns\": [], \"rows\": [null]}]}")]
    [InlineData("{\"heading\": \"h\", \"charts\": [], \"tables\": [{\"columns\": [], \"rows\": [{\"cells\": [null]}]}]}")]
    public async Task A_result_with_null_in_a_list_is_none(string section)
    {
        await File.WriteAllTextAsync(Folder["bad.json"],
            $"{{\"title\": \"t\", \"commandLine\": \"c\", \"began\": \"2026-01-01T00:00:00Z\", \"notes\": [], \"sections\": [{section}]}}");
        await CommandChecks.RefusesAsync("one of them is not as sluice wrote it", "compare", Folder["bad.json"], Folder["bad.json"]);
    }

    [Theory]
    [InlineData("not json", "bad.json is not a result of sluice: it is not valid JSON, from line 1 on\n")]
    [InlineData("", "bad.json is not a result of sluice: it is empty\n")]
    [InlineData("null", "bad.json is not a result of sluice copy: it is null\n")]
    [InlineData("{}", "bad.json is not a result of sluice copy: a value is missing or invalid\n")]
    [InlineData("{\"copies\": 1}", "bad.json is not a result of sluice copy: its copies is not as sluice writes it\n")]
    [InlineData("{\"\\ud800\": 1}", "bad.json is not a result of sluice copy: a value is missing or invalid\n")]
    public async Task Merge_names_a_file_that_is_no_result_in_one_line(string content, string message)
    {
        await File.WriteAllTextAsync(Folder["bad.json"], content);
        await CommandChecks.RefusesAsync(message, "merge", Folder["bad.json"]);
    }

    [Fact]
    public async Task Results_without_a_row_in_common_and_missing_files_are_refused()
    {
        await File.WriteAllTextAsync(Folder["page.json"], Json(SamplePage.Make()));
        await CommandChecks.RefusesAsync("have no row in common", "compare", Kept, Folder["page.json"]);
        await CommandChecks.FailsAsync("none.json", "compare", Kept, Folder["none.json"]);
        await CommandChecks.RefusesAsync("", "compare", Kept);
    }

    private static string Json(ReportPage page) => JsonSerializer.Serialize(page, PageJsonContext.Default.ReportPage);

    /// <summary>Between two runs a machine differs by more than the rounds of one run know: how often that misleads nobody knows.</summary>
    private static void NoPromise(string said)
    {
        string words = said.ReplaceLineEndings(" ");
        words.ShouldContain("it knows how much the rounds within each run differ, and not how much this machine and disk differ");
        words.ShouldNotMatch("95 (of|in|times|out)|(of|in) (100|a hundred) |on any machine|95 % (sure|certain|confiden)");
    }

    private static BenchReport Load() => JsonSerializer.Deserialize(File.ReadAllText(Kept), BenchJsonContext.Default.BenchReport)!;

    private string Save(BenchReport report)
    {
        string path = Folder[$"{Guid.NewGuid():N}.json"];
        File.WriteAllText(path, JsonSerializer.Serialize(report, BenchJsonContext.Default.BenchReport));
        return path;
    }
}
