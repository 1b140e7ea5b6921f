using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>Flushes, Zipf's law and verification of `sluice speed`.</summary>
public sealed class SpeedWorkloadTests : FolderTest
{
    [Theory]
    [InlineData("speed a b")]
    [InlineData("speed --fsync 3 a")]
    [InlineData("speed -w1M --fsync 0 a")]
    [InlineData("speed --zipf 0 a")]
    [InlineData("speed --zipf 1.2 -s100 a")]
    [InlineData("speed --iops 100000001 a")]
    public Task What_makes_no_sense_is_refused(string typed) => CommandChecks.IsRefusedAsync(typed);

    [Theory]
    [InlineData("-a3")]
    [InlineData("-b4K")]
    public async Task Flushes_come_after_every_so_many_writes_and_have_their_own_latency(string mode)
    {
        SpeedReport report = await RunAsync("-t0.3", "-w1M", mode, "--fsync", "5", "--warmup", "0", Folder["a"]);
        SideReport side = report.Sides.ShouldHaveSingleItem();

        // A disk that is busy may complete fewer than five writes in that time.
        long flushes = side.FlushLatency?.Count ?? 0;
        flushes.ShouldBeInRange((side.Operations / 5) - 3, side.Operations / 5);
    }

    [Fact]
    public async Task Zipf_is_said_and_reads_are_right()
    {
        SpeedReport report = await RunAsync("-t0.2", "-r4M", "-b4K", "--zipf", "1.2", "--verify", Folder["a"]);
        report.Workload.Zipf.ShouldBe(1.2);
        report.Verified.ShouldNotBeNull().Wrong.ShouldBe(0);
        SpeedPage.Describe(report.Workload).ShouldContain("Zipf");
    }

    private async Task<SpeedReport> RunAsync(params string[] arguments)
    {
        string json = Folder["result.json"];
        await ToolRun.SucceedAsync(["speed", .. arguments, "--json", json, "--overwrite"]);
        return JsonSerializer.Deserialize(await File.ReadAllTextAsync(json), SpeedJsonContext.Default.SpeedReport)!;
    }
}
