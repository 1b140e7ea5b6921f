using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Several files, flushes, Zipf's law, rates and verification of `sluice speed`.</summary>
public sealed class SpeedWorkloadTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData("speed a a")]
    [InlineData("speed --fsync 3 a")]
    [InlineData("speed -w1M --fsync 0 a")]
    [InlineData("speed --zipf 0 a")]
    [InlineData("speed --zipf 1.2 -s100 a")]
    [InlineData("speed --rate fast a")]
    [InlineData("speed --rate 1M --iops 10 a")]
    [InlineData("speed --rate 1T -b4K a")]
    [InlineData("speed --iops 100000001 a")]
    [InlineData("speed --json a -r1M b a")]
    public Task What_makes_no_sense_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("-r1M", "sluice")]
    [InlineData("-w1M", "both")]
    public async Task Several_files_are_measured_as_one_and_all_of_each(string size, string engine)
    {
        string[] files = [_folder["a"], _folder["b"], _folder["c"]];
        SpeedReport report = null!;

        // All of them are seen in a moment; a machine that is busy otherwise may need seconds.
        foreach (string seconds in (string[])["0.3", "3", "30"])
        {
            report = await RunAsync(
                [$"-t{seconds}", size, "-a4", "-b64K", "--engine", engine, "--verify", "--warmup", "0", "--force", .. files]);
            if (report.Verified?.Requests == 48)
                break;
        }
        report.Workload.Files.ShouldBe(files);
        report.Workload.FileSizeBytes.ShouldBe(3 << 20);
        report.Verified.ShouldBe(new VerifyReport(48, 0, null));
        files.ShouldAllBe(f => new FileInfo(f).Length == 1 << 20);
    }

    [Fact]
    public async Task Files_of_different_sizes_are_measured_as_far_as_the_smallest_reaches()
    {
        File.WriteAllBytes(_folder["a"], new byte[300_000]);
        File.WriteAllBytes(_folder["b"], new byte[500_000]);
        SpeedReport report = await RunAsync("-t0.1", "-b4K", "-a1", _folder["a"], _folder["b"]);
        report.Workload.FileSizeBytes.ShouldBe(2 * (300_000 / 4096 * 4096));
        report.Notes.ShouldContain(n => n.Contains("different sizes"));
        new FileInfo(_folder["b"]).Length.ShouldBe(500_000);
    }

    [Theory]
    [InlineData("-a3")]
    [InlineData("-b4K")]
    public async Task Flushes_come_after_every_so_many_writes_and_have_their_own_latency(string mode)
    {
        SpeedReport report = await RunAsync("-t0.3", "-w1M", mode, "--fsync", "5", "--warmup", "0", _folder["a"]);
        SideReport side = report.Sides.ShouldHaveSingleItem();

        // A disk that is busy may complete fewer than five writes in that time.
        long flushes = side.FlushLatency?.Count ?? 0;
        flushes.ShouldBeInRange((side.Operations / 5) - 3, side.Operations / 5);
    }

    [Fact]
    public async Task A_rate_in_bytes_is_one_in_requests()
    {
        SpeedReport report = await RunAsync("-t0.5", "-r1M", "-b16K", "--rate", "1600K", _folder["a"]);
        report.Workload.OfferedIops.ShouldBe(100);
        // What is late behind the end is not made any more.
        report.Sides[0].Operations.ShouldBeInRange(1, 51);
    }

    [Fact]
    public async Task Zipf_is_said_and_reads_are_right()
    {
        SpeedReport report = await RunAsync("-t0.2", "-r4M", "-b4K", "--zipf", "1.2", "--verify", _folder["a"]);
        report.Workload.Zipf.ShouldBe(1.2);
        report.Verified.ShouldNotBeNull().Wrong.ShouldBe(0);
        SpeedPage.Describe(report.Workload).ShouldContain("Zipf");
    }

    private async Task<SpeedReport> RunAsync(params string[] arguments)
    {
        string json = _folder["result.json"];
        ToolRun run = await ToolRun.RunAsync(["speed", .. arguments, "--json", json, "--overwrite"]);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        return JsonSerializer.Deserialize(await File.ReadAllTextAsync(json), SpeedJsonContext.Default.SpeedReport)!;
    }
}
