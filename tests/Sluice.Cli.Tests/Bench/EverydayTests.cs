using System.Globalization;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>What `sluice bench` runs when nothing is named: its rows, what it says of them, and how it ends.</summary>
[Trait("Runs", "once")]
public sealed class EverydayTests : FolderTest
{
    private static readonly IReadOnlyList<Row> Rows = EverydaySuite.Create().Rows;

    public static TheoryData<string> Ids => [.. Rows.Select(r => r.Id)];

    [Fact]
    public void Each_row_has_a_name_that_fits_and_says_what_both_sides_do()
    {
        Rows.Count.ShouldBeInRange(12, 25);
        Rows.ShouldAllBe(r => r.Name.Length <= EverydaySuite.MaxNameLength && r.Id.StartsWith("everyday-"));
        Rows.ShouldAllBe(r => r.Why.Contains(';'));
        BenchScale.Everyday.Rounds.ShouldBeGreaterThanOrEqualTo(7);
    }

    /// <summary>Each turn of a row checks what it has read or written: a row with a wrong result has no report.</summary>
    [Theory]
    [MemberData(nameof(Ids))]
    public async Task A_row_gives_right_results_and_pairs(string id)
    {
        var context = new BenchContext(Folder.FullPath, BenchScale.Quick, CancellationToken.None);
        Row row = Rows.Single(r => r.Id == id);
        if (id.StartsWith("everyday-direct", StringComparison.Ordinal) || id == "everyday-busy")
        {
            string? refusal = DirectIo.Refusal(context.DirectFile);
            if (refusal is not null)
            {
                Should.Throw<RowSkippedException>(() => row.Open(context)).Message.ShouldBe(refusal);
                return;
            }
        }
        FioRunner fio = FioRunner.Detect();
        RowReport report = (await new RowRunner(context, fio, CancellationToken.None).RunAsync(EverydaySuite.Create(), row))[0];
        // Fewer where the machine is so busy that the row's time is over.
        report.RoundRatios.Count.ShouldBeInRange(1, BenchScale.Quick.Rounds);
        report.IsBesideDotNet.ShouldBeTrue();
        report.Verdict.ShouldBe("");
    }

    [Fact]
    public void A_call_that_gives_something_else_ends_the_row()
    {
        using Contest contest = Contest.Passes(() => 4, () => 5, expected: 5);
        Should.Throw<IOException>(() => contest.Sluice.RunAsync(Started()).GetAwaiter().GetResult())
            .Message.ShouldBe("a call of the benchmark gave 4 instead of 5");
        Should.NotThrow(() => contest.DotNet.RunAsync(Started()).GetAwaiter().GetResult());
    }

    [Fact]
    public async Task What_a_turn_has_written_is_checked_after_it()
    {
        using Contest contest = Contest.Passes(() => 1, () => 1).Checked(_ => throw new IOException("wrong bytes"), _ => { });
        var runner = new SliceRunner(CancellationToken.None);
        (await Should.ThrowAsync<IOException>(() => runner.RunAsync(contest.Sluice, TimeSpan.Zero))).Message.ShouldBe("wrong bytes");
        (await runner.RunAsync(contest.DotNet, TimeSpan.Zero)).OperationsPerSecond.ShouldBeGreaterThan(0);
    }

    [Fact]
    public async Task A_row_that_is_too_slow_ends_with_the_pairs_that_it_has_and_has_no_verdict()
    {
        BenchScale scale = BenchScale.Everyday with { SliceTime = TimeSpan.Zero };
        var context = new BenchContext(Folder.FullPath, scale, CancellationToken.None);
        Suite suite = EverydaySuite.Create() with { RowTime = TimeSpan.Zero };
        Row row = new("everyday-slow", "slow", "", _ => Contest.Passes(() => 1, () => 1));
        FioRunner fio = FioRunner.Detect();
        RowReport report = (await new RowRunner(context, fio, CancellationToken.None).RunAsync(suite, row))[0];
        report.RoundRatios.Count.ShouldBe(1);
        report.Verdict.ShouldBe("");
        EverydayText.RatioCell(report).ShouldEndWith(" (1 pair)");
    }

    [Fact]
    public async Task A_piped_run_says_first_how_long_it_takes_and_last_how_it_went()
    {
        string disk = Directory.CreateDirectory(Folder["disk"]).FullName;
        ToolRun run = await ToolRun.SucceedAsync(
            "bench", disk, "--quick", "--suite", "everyday", "--row", "everyday-o", "--json", Folder["r.json"]);
        run.Error.ShouldBe("2 rows, about 1 s\n");
        run.Out.ShouldEndWith("\n2 rows ran; a quick run measures nothing\n");
        run.Out.ShouldMatch("read a 4 KiB file: stream +[0-9.]+ \\(5 pairs\\)");
        Directory.EnumerateFileSystemEntries(disk).ShouldBeEmpty();
        JsonElement json = Folder.Json("r.json");
        json.GetProperty("rows").GetArrayLength().ShouldBe(2);
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public async Task Where_there_is_no_room_a_row_says_so_and_the_others_are_measured()
    {
        using TestVolume disk = TestVolume.MountMemory(Folder["disk"], "70m");
        ToolRun run = await ToolRun.SucceedAsync("bench", disk.Path, "--quick", "--suite", "everyday", "--row", "-copy-");
        run.Out.ShouldContain("\ncopy of 256 MiB, skipped: 72 MiB needed, ");
        run.Out.ShouldContain("\ncopy of one file of 4 KiB ");
        run.Out.ShouldEndWith("\n1 row ran, 1 skipped; a quick run measures nothing\n");
        Directory.EnumerateFileSystemEntries(disk.Path).ShouldBeEmpty();
    }

    [SkippableTheory]
    [InlineData("INT", ExitCode.Interrupted)]
    [InlineData("TERM", ExitCode.Terminated)]
    [InlineData("KILL", 137)]
    public async Task Busy_processes_end_with_the_tool(string signal, int exitCode)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "processes are looked for in /proc");
        Skip.If(DirectIo.Refusal(MakeFile()) is { } refusal, "direct I/O is not to be had");
        using ToolProcess tool = ToolProcess.Start(Folder.FullPath, "bench", ".", "--row", "everyday-busy");
        int[] busy = [];
        await tool.WaitUntilAsync(() => (busy = BusyChildrenOf(tool.Id)).Length == 4);
        tool.Signal(signal);
        await tool.EndAsync(exitCode);
        // After KILL they notice by themselves that nobody is left.
        foreach (int process in busy)
        {
            while (IsBusyProcess(process))
                await Task.Delay(20);
        }
    }

    private string MakeFile()
    {
        File.WriteAllBytes(Folder["probe"], new byte[4096]);
        return Folder["probe"];
    }

    private static int[] BusyChildrenOf(int parent) =>
    [
        .. Directory.EnumerateDirectories("/proc").Select(d => Path.GetFileName(d))
            .Where(n => int.TryParse(n, CultureInfo.InvariantCulture, out _)).Select(n => int.Parse(n, CultureInfo.InvariantCulture))
            .Where(id => IsBusyProcess(id) && Read(id, "status").Contains($"PPid:\t{parent}\n", StringComparison.Ordinal)),
    ];

    private static bool IsBusyProcess(int id) => Read(id, "cmdline").Contains(BusyProcesses.Argument, StringComparison.Ordinal);

    private static string Read(int process, string name)
    {
        try
        {
            return File.ReadAllText($"/proc/{process}/{name}");
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return "";
        }
    }

    private static Slice Started()
    {
        var slice = new Slice(TimeSpan.Zero, 1, CancellationToken.None);
        slice.Start();
        return slice;
    }
}
