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
public sealed class CompareRunTests : IDisposable
{
    private static readonly string Kept = Path.Combine(ReadmeTests.Root, "bench", "results", "epyc-2core-virtio-ext4", "handle.json");

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public async Task A_run_compared_with_itself_has_not_changed()
    {
        ToolRun run = await ToolRun.RunAsync("compare", Kept, Kept);
        run.Error.ShouldBe("");
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Out.ShouldContain("Nothing changed beyond noise in 75 figures.");
        NoPromise(run.Out);
        run.Out.ShouldContain("open-close");
    }

    public static IEnumerable<object[]> Machines =>
    [
        ["machine", (EnvironmentRecord e) => e with { MemoryBytes = 7L << 30 }, "7 GiB"],
        ["free mem", (EnvironmentRecord e) => e with { FreePages = "by a balloon" }, "by a balloon"],
        ["device", (EnvironmentRecord e) => e with { DeviceModel = "SSD 9" }, "SSD 9"],
        ["file sys", (EnvironmentRecord e) => e with { MountOptions = "ro" }, "ro"],
        ["sluice", (EnvironmentRecord e) => e with { EngineReason = "it was asked for" }, "it was asked for"],
    ];

    [Theory]
    [MemberData(nameof(Machines))]
    public async Task In_what_two_machines_differ_is_told(string fact, object change, string second)
    {
        BenchReport report = Load();
        var changed = (Func<EnvironmentRecord, EnvironmentRecord>)change;
        ToolRun run = await ToolRun.RunAsync("compare", Kept, Save(report with { Environment = changed(report.Environment) }));
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.Split('\n').Count(l => l.Contains(" differs: ", StringComparison.Ordinal)).ShouldBe(1);
        run.Out.ShouldMatch($"the {fact} differs: .*, then .*{second}");
    }

    [Theory]
    [InlineData("handle")]
    [InlineData("figures")]
    public async Task A_result_of_another_format_is_none(string name)
    {
        string kept = Path.Combine(Path.GetDirectoryName(Kept)!, $"{name}.json");
        string text = await File.ReadAllTextAsync(kept);
        await File.WriteAllTextAsync(_folder["later.json"], text.Replace("\"formatVersion\": 1", "\"formatVersion\": 2"));
        ToolRun run = await ToolRun.RunAsync("compare", kept, _folder["later.json"]);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldContain("later.json is not a result of this sluice: its format is 2, and 1 is known");
        run.Out.ShouldBe("");
    }

    [Fact]
    public async Task What_changed_is_said_in_words_and_written_to_all_three_files()
    {
        BenchReport report = Load();
        RowReport[] rows = [.. report.Rows];
        rows[0] = Faster(rows[0], sluice: 3, dotNet: 1);
        rows[1] = Faster(rows[1], sluice: 0.25, dotNet: 1);
        rows[2] = Faster(rows[2], sluice: 5, dotNet: 5);
        string second = Save(report with { Rows = rows[..^1], Environment = report.Environment with { Kernel = "9.9" } });
        ToolRun run = await ToolRun.RunAsync(
            "compare", Kept, second, "--json", _folder["c.json"], "--html", _folder["c.html"], "--csv", _folder["c.csv"]);
        run.Error.ShouldBe("");
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Out.ShouldContain("6 of 72 figures changed beyond noise.");
        run.Out.ShouldContain($"handle: {rows[0].Id}, ratio: higher, x3.00 (");
        run.Out.ShouldContain($"handle: {rows[1].Id}, ratio: lower, x0.25 (");
        run.Out.ShouldContain($"handle: {rows[2].Id}, Sluice: higher, x5.00 (");
        run.Out.ShouldContain($"handle: {rows[2].Id}, .NET: higher, x5.00 (");
        run.Out.ShouldContain("the software differs: ");

        ReportPage page = JsonSerializer.Deserialize(await File.ReadAllTextAsync(_folder["c.json"]), PageJsonContext.Default.ReportPage)!;
        page.Sections[1].Tables[0].Rows.Count.ShouldBe(72);
        (await File.ReadAllTextAsync(_folder["c.html"])).ShouldContain("Two runs, side by side");
        (await File.ReadAllLinesAsync(_folder["c.csv"])).Length.ShouldBe(73);
    }

    [Fact]
    public async Task Pages_of_other_commands_are_compared_number_by_number()
    {
        await File.WriteAllTextAsync(_folder["a.json"], Json(SamplePage.Make()));
        ReportPage page = SamplePage.Make();
        PageTable table = page.Sections[0].Tables[0];
        PageRow doubled = table.Rows[2] with { Cells = [table.Rows[2].Cells[0], 10.5] };
        await File.WriteAllTextAsync(_folder["b.json"], Json(page with
        {
            Sections = [page.Sections[0] with { Tables = [table with { Rows = [doubled, new PageRow("new", 1.0)] }] }],
        }));
        ToolRun run = await ToolRun.RunAsync("compare", _folder["a.json"], _folder["b.json"]);
        run.Error.ShouldBe("");
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Out.ShouldMatch(@"three\s+rate, MiB/s\s+5\.25\s+10\.5\s+2\.00");
        run.Out.ShouldContain("No figure is of several rounds in both runs");
    }

    [Fact]
    public async Task Figures_of_several_rounds_have_intervals_and_what_changed_is_said_in_words()
    {
        Save("a.json", [100, 101, 99, 100, 102], [10, 11, 9, 10, 12], [5, 9]);
        Save("b.json", [130, 131, 129, 130, 133], [10, 12, 9, 11, 10], [5, 50]);
        ToolRun run = await ToolRun.RunAsync("compare", _folder["a.json"], _folder["b.json"], "--json", _folder["c.json"]);
        run.Error.ShouldBe("");
        run.ExitCode.ShouldBe(ExitCode.Success);
        run.Out.ShouldContain("1 of 3 figures changed beyond noise.");
        run.Out.ShouldMatch(@"Rounds: faster, rate, MiB/s: higher, x1\.30 \(x1\.2\d to x1\.3\d\)\.");
        run.Out.ShouldContain("In 1 figure the rounds are too few (2 and more), or too far apart, to tell");
        run.Out.ShouldMatch(@"faster\s+rate, MiB/s\s+100\s+130\s+1\.30\s+1\.\d+\s+1\.\d+\s+higher");
        run.Out.ShouldMatch(@"same\s+rate, MiB/s\s+10\.0\s+10\.0\s+1\.00\s+0\.\d+\s+1\.\d+\s+no");
        run.Out.ShouldMatch(@"two\s+rate, MiB/s\s+7\.00\s+27\.5\s+3\.93\s+cannot be told");

        // Of what cannot be told nobody says that it has not changed.
        Save("a.json", [5, 9]);
        Save("b.json", [5, 50]);
        ToolRun untold = await ToolRun.RunAsync("compare", _folder["a.json"], _folder["b.json"]);
        untold.Out.ShouldContain("In 1 figure the rounds are too few");
        untold.Out.ShouldNotContain("Nothing changed");

        void Save(string name, params double[][] rows) => File.WriteAllText(_folder[name], Json(SamplePage.Make() with
        {
            Sections =
            [
                new PageSection
                {
                    Heading = "Rounds",
                    Tables =
                    [
                        new PageTable
                        {
                            Columns = [PageColumn.Text("row"), new PageColumn("rate", "MiB/s")],
                            Rows =
                            [
                                .. rows.Zip(["faster", "same", "two"])
                                    .Select(r => new PageRow(r.Second, PageCell.Of(Statistics.Median(r.First)).With(r.First))),
                            ],
                        },
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
            (await ToolRun.RunAsync([.. typed.Split(' '), _folder.FullPath, "--json", _folder[name]])).ExitCode.ShouldBe(ExitCode.Success);
        ToolRun run = await ToolRun.RunAsync("compare", _folder["a.json"], _folder["b.json"], "--json", _folder["c.json"]);
        run.ExitCode.ShouldBe(words.Length > 0 ? ExitCode.Success : ExitCode.Usage, run.Error);
        run.Out.ShouldMatch(words);
        if (words.Length > 0)
        {
            NoPromise(run.Out);
            JsonSerializer.Deserialize(await File.ReadAllTextAsync(_folder["c.json"]), PageJsonContext.Default.ReportPage)!
                .Sections.Skip(1).ShouldAllBe(s => s.Charts.Count > 0);
        }
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Extents_and_the_ageing_of_a_volume_can_be_compared()
    {
        using TestVolume volume = TestVolume.MountExt4(_folder.FullPath, 64 << 20);
        foreach (string name in (string[])["1", "2"])
        {
            string[] frag = ["frag", "-m8", "-Fm1", "-FM1", "-c4", "-k50", "--leave", "1M", "--force", "-q", "--json",
                _folder[$"f{name}.json"], volume.Path];
            (await ToolRun.RunAsync(frag)).ExitCode.ShouldBe(ExitCode.Success);
            (await ToolRun.RunAsync("extents", "--sync", "--json", _folder[$"e{name}.json"], volume.Path)).ExitCode.ShouldBe(
                ExitCode.Success);
        }
        ToolRun frags = await ToolRun.RunAsync("compare", _folder["f1.json"], _folder["f2.json"]);
        frags.ExitCode.ShouldBe(ExitCode.Success, frags.Error);
        frags.Out.ShouldMatch(@"1\s+files made\s+4\s+4\s+1\.00");
        ToolRun extents = await ToolRun.RunAsync("compare", _folder["e1.json"], _folder["e2.json"]);
        extents.ExitCode.ShouldBe(ExitCode.Success, extents.Error);
        extents.Out.ShouldMatch(@"all\s+files\s+\d+\s+\d+");
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
        await File.WriteAllTextAsync(_folder["bad.json"], content);
        ToolRun run = await ToolRun.RunAsync("compare", Kept, _folder["bad.json"]);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.Trim().Split('\n').Length.ShouldBe(1);
        run.Error.ShouldContain(message);
        run.Out.ShouldBe("");
    }

    [Theory]
    [InlineData("not json", "bad.json is not a result of sluice: it is not valid JSON, from line 1 on\n")]
    [InlineData("", "bad.json is not a result of sluice: it is empty\n")]
    [InlineData("null", "bad.json is not a result of sluice copy: it is null\n")]
    [InlineData("{}", "bad.json is not a result of sluice copy: a value is missing or invalid\n")]
    [InlineData("{\"workload\": 1}", "bad.json is not a result of sluice speed: its workload is not as sluice writes it\n")]
    [InlineData("{\"\\ud800\": 1}", "bad.json is not a result of sluice copy: a value is missing or invalid\n")]
    public async Task Merge_names_a_file_that_is_no_result_in_one_line(string content, string message)
    {
        await File.WriteAllTextAsync(_folder["bad.json"], content);
        ToolRun run = await ToolRun.RunAsync("merge", _folder["bad.json"]);
        run.ExitCode.ShouldBe(ExitCode.Usage);
        run.Error.ShouldEndWith(message);
        run.Error.Trim().Split('\n').Length.ShouldBe(1);
        run.Out.ShouldBe("");
    }

    [Fact]
    public async Task Results_without_a_row_in_common_and_missing_files_are_refused()
    {
        await File.WriteAllTextAsync(_folder["page.json"], Json(SamplePage.Make()));
        ToolRun nothing = await ToolRun.RunAsync("compare", Kept, _folder["page.json"]);
        nothing.ExitCode.ShouldBe(ExitCode.Usage);
        nothing.Error.ShouldContain("have no row in common");
        ToolRun missing = await ToolRun.RunAsync("compare", Kept, _folder["none.json"]);
        missing.ExitCode.ShouldBe(ExitCode.IoError);
        missing.Error.Trim().Split('\n').Length.ShouldBe(1);
        (await ToolRun.RunAsync("compare", Kept)).ExitCode.ShouldBe(ExitCode.Usage);
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

    private static RowReport Faster(RowReport row, double sluice, double dotNet) => row with
    {
        Sluice = row.Sluice with { SliceRates = [.. row.Sluice.SliceRates.Select(r => r * sluice)] },
        DotNet = row.DotNet with { SliceRates = [.. row.DotNet.SliceRates.Select(r => r * dotNet)] },
    };

    private string Save(BenchReport report)
    {
        string path = _folder[$"{Guid.NewGuid():N}.json"];
        File.WriteAllText(path, JsonSerializer.Serialize(report, BenchJsonContext.Default.BenchReport));
        return path;
    }
}
