using System.Diagnostics;
using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice speed --shard --rendezvous` several times at once, and `merge` of the results.</summary>
public sealed class SpeedRanksTests : IDisposable
{
    private const int Count = 3;

    private readonly TempFolder _folder = TempFolder.InMemory();

    public SpeedRanksTests() => Directory.CreateDirectory(_folder["meet"]);

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("speed --shard 0/2 a.dat")]
    [InlineData("speed --rendezvous . a.dat")]
    [InlineData("speed --shard 2/2 --rendezvous . a.dat")]
    [InlineData("speed --shard x --rendezvous . a.dat")]
    [InlineData("speed --shard 0/2 --rendezvous . --engine both a.dat")]
    [InlineData("speed --shard 0/2 --rendezvous . -t0 -x1M a.dat")]
    [InlineData("speed --shard 0/2 --rendezvous . --wait x a.dat")]
    [InlineData("speed --wait 5 a.dat")]
    public Task What_makes_no_sense_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Fact]
    public async Task Ranks_begin_together_and_are_added_up()
    {
        ToolRun[] runs = await Task.WhenAll(Enumerable.Range(0, Count).Select(RankAsync));
        runs.ShouldAllBe(r => r.ExitCode == ExitCode.Success && r.Error.Length == 0);
        Directory.EnumerateFileSystemEntries(_folder["meet"]).ShouldBeEmpty();
        SpeedReport[] reports = [.. Enumerable.Range(0, Count).Select(Read)];
        reports.Select(r => r.Rank!.Run).Distinct().Count().ShouldBe(1);
        reports.ShouldAllBe(r => r.Rank!.MeasuredFrom >= r.Rank.Start && r.Sides.Count == 1);

        MergedSpeed all = MergedSpeed.Of([.. reports.Index().Select(r => ($"{r.Index}", r.Item))]);
        all.Latencies.Single().Latency.Count.ShouldBe(reports.Sum(r => r.Sides[0].Operations));
        all.Latencies.Single().Latency.MaxUs.ShouldBe(reports.Max(r => r.Sides[0].ReadLatency!.MaxUs));
        ToolRun merged = await MergeAsync(0, 1, 2);
        merged.ExitCode.ShouldBe(ExitCode.Success, merged.Error);
        merged.Out.ShouldContain("2/3");
        merged.Out.ShouldContain("all that have a result measured at the same time for");

        // What is missing, or was ended, makes it no whole result; what is of another run, or of other work, none at all.
        ToolRun two = await MergeAsync(2, 0);
        (two.ExitCode, two.Out.Contains("missing: rank 1 of 3", StringComparison.Ordinal)).ShouldBe((ExitCode.IoError, true));
        await RefusesAsync(r => r with { Rank = r.Rank! with { Run = "another" } }, "is of another run than");
        await RefusesAsync(r => r with { Workload = r.Workload with { RequestSizeBytes = 8192 } }, "is of other work than");
        await RefusesAsync(r => r with { Rank = r.Rank! with { Count = 4 } }, "is one of 4 processes");
        await RefusesAsync(r => r with { Rank = r.Rank! with { Index = 0 } }, "is of rank 0, as");
        await RefusesAsync(r => r with { Rank = null }, "is not a result of one of several processes");
        await RefusesAsync(r => r with { Sides = [r.Sides[0] with { Histograms = null }] }, "its latencies are incomplete");
        Write(reports[1] with { Interrupted = true }, 1);
        ToolRun ended = await MergeAsync(0, 1, 2);
        (ended.ExitCode, ended.Out.Contains("rank 1 was interrupted", StringComparison.Ordinal)).ShouldBe((ExitCode.IoError, true));
        Write(reports[1] with { Interrupted = true, Rank = null, Sides = [] }, 1);
        ended = await MergeAsync(0, 1, 2);
        (ended.ExitCode, ended.Out.Contains("1.json: a rank that was interrupted before", StringComparison.Ordinal))
            .ShouldBe((ExitCode.IoError, true));
        ended = await MergeAsync(1);
        ended.ExitCode.ShouldBe(ExitCode.IoError);
        ended.Error.ShouldContain("1.json: it was interrupted before the ranks had met");
        File.WriteAllText(_folder["1.json"], "{}");
        (await MergeAsync(0, 1, 2)).ExitCode.ShouldBe(ExitCode.Usage);

        async Task RefusesAsync(Func<SpeedReport, SpeedReport> change, string words)
        {
            Write(change(reports[1]), 1);
            ToolRun run = await MergeAsync(0, 1, 2);
            run.ExitCode.ShouldBe(ExitCode.Usage);
            run.Error.ShouldContain(words);
            Write(reports[1], 1);
        }
    }

    /// <summary>Of 900 requests of 1 us and 100 of 1 ms, nine in ten take 1 us; the mean of both 90 % would be 0.5 ms.</summary>
    [Fact]
    public void Percentiles_are_those_of_all_requests()
    {
        SpeedReport one = Report(0, 900, 1_000);
        SpeedReport other = Report(1, 100, 1_000_000);
        LatencySummary all = MergedSpeed.Of([("one", one), ("other", other)]).Latencies.Single().Latency;
        all.Count.ShouldBe(1000);
        all.MeanUs.ShouldBe(100.9, tolerance: 0.1);
        all.P90Us.ShouldBeInRange(1, 1.004);
        all.P95Us.ShouldBe(1000, tolerance: 1);
        (all.MinUs, all.MaxUs).ShouldBe((1, all.P95Us));
    }

    /// <summary>As docs/cli.md writes it: each rank is told by Open MPI which one it is.</summary>
    [SkippableFact]
    public async Task Open_MPI_starts_the_ranks()
    {
        Skip.IfNot(File.Exists("/usr/bin/mpirun"), "Open MPI is not installed (openmpi-bin)");
        const string command = """
            R=$OMPI_COMM_WORLD_RANK
            exec "$0" "$1" speed -q -t0.1 --warmup 0 -r64K -b4K -s100 --shard auto --rendezvous meet --json $R.json $R.dat
            """;
        var start = new ProcessStartInfo("/usr/bin/mpirun", [
            "--oversubscribe", "-np", $"{Count}", "--allow-run-as-root", "sh", "-c", command, ToolProcess.DotnetPath, ToolProcess.ToolPath])
        {
            WorkingDirectory = _folder[""],
            UseShellExecute = false,
            RedirectStandardOutput = true,
        };
        using (Process ranks = Process.Start(start)!)
        {
            string output = await ranks.StandardOutput.ReadToEndAsync();
            await ranks.WaitForExitAsync();
            ranks.ExitCode.ShouldBe(ExitCode.Success, output);
        }
        Directory.EnumerateFileSystemEntries(_folder["meet"]).ShouldBeEmpty();
        SpeedReport[] reports = [.. Enumerable.Range(0, Count).Select(Read)];
        reports.Select(r => (r.Rank!.Index, r.Rank.Count)).ShouldBe(Enumerable.Range(0, Count).Select(i => (i, Count)));
        reports.Select(r => r.Rank!.Run).Distinct().Count().ShouldBe(1);
        ToolRun merged = await MergeAsync(0, 1, 2);
        merged.ExitCode.ShouldBe(ExitCode.Success, merged.Error);
        merged.Out.ShouldContain("2/3");
    }

    [Fact]
    public async Task An_interruption_takes_the_file_away()
    {
        using CancellationTokenSource stop = new();
        Task<ToolRun> rank = ToolRun.RunAsync(Arguments(0), input: null, stop.Token);
        while (!File.Exists(_folder["meet/sluice-rank-0-of-3"]))
            await Task.Delay(1);
        await stop.CancelAsync();
        (await rank).ExitCode.ShouldBe(ExitCode.Interrupted);
        Directory.EnumerateFileSystemEntries(_folder["meet"]).ShouldBeEmpty();
    }

    [Fact]
    public async Task Who_waits_in_vain_is_told_for_whom()
    {
        ToolRun run = await ToolRun.RunAsync([.. Arguments(1), "--wait", "0"]);
        run.ExitCode.ShouldBe(ExitCode.IoError);
        run.Error.ShouldContain("rank 0, 2 of 3 did not come");
        Directory.EnumerateFileSystemEntries(_folder["meet"]).ShouldBeEmpty();
        await CommandChecks.FailsAsync(
            "no such directory", "speed", "-t1", "-r1M", "--shard", "0/2", "--rendezvous", _folder["none"], _folder["a.dat"]);
    }

    private Task<ToolRun> RankAsync(int rank) => ToolRun.RunAsync(Arguments(rank));

    private string[] Arguments(int rank) =>
    [
        "speed", "-t0.1", "--warmup", "0", "-r64K", "-b4K", "-s100", "--shard", $"{rank}/{Count}", "--rendezvous", _folder["meet"],
        "--json", _folder[$"{rank}.json"], _folder[$"{rank}.dat"],
    ];

    private Task<ToolRun> MergeAsync(params int[] ranks) => ToolRun.RunAsync(["merge", .. ranks.Select(r => _folder[$"{r}.json"])]);

    private SpeedReport Read(int rank) =>
        JsonSerializer.Deserialize(File.ReadAllBytes(_folder[$"{rank}.json"]), SpeedJsonContext.Default.SpeedReport)!;

    private void Write(SpeedReport report, int rank) =>
        File.WriteAllText(_folder[$"{rank}.json"], JsonSerializer.Serialize(report, SpeedJsonContext.Default.SpeedReport));

    private static SpeedReport Report(int rank, int requests, long nanoseconds)
    {
        var latencies = new LatencyHistogram();
        for (int i = 0; i < requests; i++)
            latencies.Record(nanoseconds);
        return new SpeedReport
        {
            Started = DateTimeOffset.UnixEpoch,
            Arguments = [],
            Environment = Sluice.Cli.Report.EnvironmentProbe.ForPath("."),
            Workload = new SpeedWorkload
            {
                File = $"{rank}.dat",
                FileSizeBytes = 1,
                Operation = "read",
                RequestSizeBytes = 1,
                SeekPercent = 0,
                Cache = "as is",
                TouchEveryByte = false,
                TimeSeconds = 1,
                WarmUpSeconds = 0,
                Seed = 1,
            },
            Creations = [],
            Sides =
            [
                new SideReport
                {
                    Side = "sluice",
                    Engine = "uring",
                    Caching = "cached",
                    Seconds = 1,
                    Operations = requests,
                    Bytes = requests,
                    MiBPerSecond = 1,
                    Iops = requests,
                    CpuPercent = 1,
                    CpuUsPerOperation = 1,
                    AllocatedBytesPerOperation = 0,
                    WindowMiBPerSecond = [],
                    Histograms = new SideHistograms(latencies.ToRecord(), null, null, null),
                },
            ],
            Rank = new RankReport
            {
                Index = rank,
                Count = 2,
                Host = "here",
                Run = "run",
                Start = DateTimeOffset.UnixEpoch,
                LateSeconds = 0,
            },
            Notes = [],
        };
    }
}
