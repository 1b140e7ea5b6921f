using System.Text.Json;
using System.Text.RegularExpressions;
using Shouldly;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>The page of each command that has a JSON form of its own, as its HTML carries it.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class CommandPagesTests : FolderTest
{
    [Fact]
    public async Task Speed_has_latencies_by_percentile_and_the_rates_of_both_sides()
    {
        ReportPage page = await PageOfAsync("speed", "-t0.4", "-r1M", "-b4K", "--engine", "both", Folder["a.dat"]);
        page.Sections.Select(s => s.Heading).ShouldBe(["Rates", "Latency"]);
        page.Sections[0].Tables[0].Rows.Select(r => r.Cells[0].Text).ShouldBe(["Sluice", ".NET"]);
        page.Sections[0].Text!.ShouldMatch(
            @"^In the median pair of slices Sluice is [0-9.]+ times as fast as \.NET\. The rates below are those of the whole time, "
            + @"in which Sluice does [0-9.]+ times as much with the same CPU time\.$");
        PageChart latency = page.Sections[1].Charts.ShouldHaveSingleItem();
        latency.Series.Select(s => s.Name).ShouldBe(["Sluice, read", ".NET, read"]);
        latency.Series[0].Y.Count.ShouldBe(latency.X.Categories!.Count);
        latency.Series[0].Y.ShouldBe(latency.Series[0].Y.OrderBy(y => y));
    }

    [SkippableFact]
    public async Task Frag_has_a_point_for_each_cycle()
    {
        using TestVolume volume = TestVolume.MountExt4(Folder.FullPath, 64 << 20);
        ReportPage page = await PageOfAsync(
            "frag", "-n2", "-f60", "-k30", "-Fm64K", "-FM256K", "-c8", "--leave", "1M", "--force", volume.Path);
        page.Sections[0].Charts.Count.ShouldBe(2);
        page.Sections[0].Charts[0].Series[0].X.ShouldBe([1, 2]);
        page.Sections[0].Charts[0].Series[0].Y.ShouldAllBe(pieces => pieces >= 1);
        (ChartSeries filled, ChartSeries kept) = (page.Sections[0].Charts[1].Series[0], page.Sections[0].Charts[1].Series[1]);
        for (int i = 0; i < 2; i++)
            kept.Y[i]!.Value.ShouldBeLessThan(filled.Y[i]!.Value);
    }

    [Fact]
    public async Task Bench_has_a_section_for_each_suite_and_an_interval_for_each_ratio()
    {
        ReportPage page = await PageOfAsync("bench", "--quick", "--row", "open", Folder.FullPath);
        page.Sections.Select(s => s.Heading).ShouldBe(["Suite handle", "Suite stream"]);
        foreach (PageSection section in page.Sections)
        {
            ChartSeries ratios = section.Charts[0].Series.ShouldHaveSingleItem();
            for (int i = 0; i < ratios.Y.Count; i++)
                ratios.Y[i]!.Value.ShouldBeInRange(ratios.Low![i]!.Value, ratios.High![i]!.Value);
            section.Tables[0].Rows.Count.ShouldBe(ratios.Y.Count);
        }
        page.Notes.ShouldContain(n => n.StartsWith("A quick run", StringComparison.Ordinal));
    }

    private async Task<ReportPage> PageOfAsync(params string[] arguments)
    {
        string path = Folder["page.html"];
        ToolRun run = await ToolRun.SucceedAsync([.. arguments, "--html", path, "--overwrite"]);
        run.Error.ShouldMatch(@"\A([^\n]+, about [0-9]+ (s|minutes)\n)?\z");
        Match data = Regex.Match(
            await File.ReadAllTextAsync(path), """<script id="page-data" type="application/json">(?<data>.*?)</script>""",
            RegexOptions.Singleline | RegexOptions.ExplicitCapture, TimeSpan.FromSeconds(5));
        return JsonSerializer.Deserialize(data.Groups["data"].Value, PageJsonContext.Default.ReportPage)!;
    }
}
