using System.Text.Json;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class BenchRunTests : FolderTest
{
    [Fact]
    public async Task A_quick_run_has_every_row_that_was_named_with_figures_and_leaves_nothing_behind()
    {
        const string suiteName = "sequential";
        const string named = "seq-lines";
        string results = Directory.CreateDirectory(Folder["results"]).FullName;
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        ToolRun run = await ToolRun.RunAsync(
            "bench", disk, "--quick", "--suite", suiteName, "--row", named, "--json", Path.Combine(results, "r.json"), "--csv",
            Path.Combine(results, "r.csv"));
        run.Error.ShouldMatch(@"\A[0-9]+ rows, about [0-9]+ s\n\z");
        run.ExitCode.ShouldBe(ExitCode.Success);
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();

        Suite suite = Suite.All.Single(s => s.Name == suiteName);
        JsonElement json = Folder.Json("results/r.json");
        JsonElement[] rows = [.. json.GetProperty("rows").EnumerateArray()];
        // A second peer has a row of its own.
        rows.Select(r => r.GetProperty("id").GetString()!.Replace("/second", "", StringComparison.Ordinal)).Distinct().ShouldBe(
            suite.Rows.Select(r => r.Id).Where(i => i.Contains(named, StringComparison.Ordinal)));
        foreach (JsonElement row in rows)
        {
            string id = row.GetProperty("id").GetString()!;
            row.GetProperty("rounds").GetInt32().ShouldBe(5, id);
            row.GetProperty("ratio").GetDouble().ShouldBeGreaterThan(0, id);
            row.GetProperty("cpuRatio").GetDouble().ShouldBeGreaterThan(0, id);
            row.GetProperty("ratioLow").ValueKind.ShouldBe(JsonValueKind.Null, id);
            foreach (string side in new[] { "sluice", "dotNet" })
            {
                row.GetProperty(side).GetProperty("rate").GetDouble().ShouldBeGreaterThan(0, id);
                row.GetProperty(side).GetProperty("sliceRates").GetArrayLength().ShouldBe(row.GetProperty("rounds").GetInt32(), id);
            }
            run.Out.ShouldContain(row.GetProperty("name").GetString()!);
        }
        string[] csv = await File.ReadAllLinesAsync(Path.Combine(results, "r.csv"));
        csv[0].ShouldStartWith("suite,id,row,unit,ratio,95 %,verdict,Sluice,.NET,fio,");
        csv[1..].Select(line => line.Split(',')[0]).ShouldAllBe(name => name == suiteName);
        csv.Length.ShouldBe(1 + rows.Length);
        run.Out.ShouldContain($"engine {SluiceEngines.Default.Name}");
    }

    [SkippableFact]
    public async Task A_file_system_that_reserves_no_space_is_measured()
    {
        using TestVolume volume = TestVolume.MountBindfs(Folder.FullPath);
        ToolRun run = await ToolRun.SucceedAsync("bench", volume.Path, "--quick", "--suite", "sequential", "--row", "seq-write");
        run.Out.ShouldNotContain("skipped seq-write");
        ToolRun advice = await ToolRun.SucceedAsync("advise", volume.Path, "--quick");
        advice.Out.ShouldNotContain("A large new file: not measured");
        ToolRun examples = await ToolRun.SucceedAsync("examples", Path.Combine(volume.Path, "a.dat"), "1000", "--rounds", "1");
        examples.Out.ShouldNotContain("was not measured");
    }

    [SkippableFact]
    public async Task What_is_called_direct_is_skipped_where_only_the_page_cache_is_to_be_had()
    {
        using TestVolume volume = TestVolume.MountWithoutDirect(Folder.FullPath, 1 << 30);
        await ToolRun.SucceedAsync(
            "bench", volume.Path, "--quick", "--row", "read-batch", "--json", Folder["r.json"]);
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("rows").EnumerateArray().Select(r => r.GetProperty("id").GetString()).ShouldBeEmpty();
        JsonElement[] skipped = [.. json.GetProperty("skipped").EnumerateArray()];
        skipped.ShouldNotBeEmpty();
        skipped.ShouldAllBe(r => r.GetProperty("reason").GetString()!
            .StartsWith("direct I/O is not to be had: the file system ", StringComparison.Ordinal));
    }

    [SkippableFact]
    public async Task Advice_leaves_direct_ways_out_where_only_the_page_cache_is_to_be_had()
    {
        using TestVolume volume = TestVolume.MountWithoutDirect(Folder.FullPath, 1 << 30);
        ToolRun run = await ToolRun.SucceedAsync("advise", volume.Path, "--quick");
        run.Out.ShouldContain("The direct ways are left out: direct I/O is not to be had: the file system ");
        run.Out.ShouldContain("SluiceReader, uncached");
        run.Out.ShouldNotContain(", direct");
        run.Out.ShouldNotContain("Direct is");
    }

    [SkippableFact]
    public async Task Rows_are_measured_without_fio_if_fio_fails()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "a script stands for fio");
        string fio = Path.Combine(Directory.CreateDirectory(Folder["bin"]).FullName, "fio");
        await File.WriteAllTextAsync(fio, """
            #!/bin/sh
            [ "$1" = --version ] && echo fio-3.36 && exit
            echo refused >&2
            exit 1
            """);
        if (!OperatingSystem.IsWindows())
            File.SetUnixFileMode(fio, UnixFileMode.UserRead | UnixFileMode.UserExecute);
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        string path = $"PATH={Folder["bin"]}:{Environment.GetEnvironmentVariable("PATH")}";
        using ToolProcess tool = ToolProcess.StartAs(["env", path], disk, "bench", ".", "--quick", "--row", "direct-read-4k-d4");
        ToolRun run = await tool.EndAsync(ExitCode.Success);
        run.Out.ShouldContain("1 row:");
        run.Out.ShouldContain("fio gave no figure: fio: refused");
    }

    [Fact]
    public async Task What_does_not_exist_is_refused_by_name()
    {
        string suites = string.Join(", ", Suite.All.Select(s => s.Name));
        await CommandChecks.RefusesAsync($"no suite 'tape'; there is {suites} or all", "bench", Folder.FullPath, "--suite", "tape");
        await CommandChecks.RefusesAsync("no row's id contains 'direct-read-4k'; ids are such as stream-", "bench", Folder.FullPath,
            "--suite", "stream", "--row", "direct-read-4k");
    }

    [Fact]
    public void Row_ids_are_unique_and_rows_say_why_they_are_there()
    {
        Row[] rows = [.. Suite.All.SelectMany(s => s.Rows)];
        rows.Select(r => r.Id).Distinct().Count().ShouldBe(rows.Length);
        rows.ShouldAllBe(r => r.Why.Length > 0);
        rows.Where(r => r.Unit == "MiB/s").ShouldAllBe(
            r => r.BytesPerOperation!(BenchScale.Full) > 0 && r.BytesPerOperation(BenchScale.Quick) > 0);
    }
}
