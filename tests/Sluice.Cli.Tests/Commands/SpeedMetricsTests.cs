using System.Text.Json;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>`sluice speed --metrics`: a process of its own, whose meter counts what it did and nothing else.</summary>
public sealed class SpeedMetricsTests : IDisposable
{
    private const int Block = 4096;

    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [SkippableFact]
    public async Task The_values_are_those_of_the_work()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "a flush that waits is counted on Linux only");
        SpeedReport report = await RunAsync("-w1M", "-b4K", "-s100", "-a4");
        SideReport side = report.Sides.ShouldHaveSingleItem();

        // The warm-up is counted, and its operations are in no report.
        double operations = Sum(report, "sluice.io.operations", "sluice.io.verb=write");
        operations.ShouldBeGreaterThanOrEqualTo(side.Operations);
        Sum(report, "sluice.io.bytes", "sluice.io.verb=write").ShouldBe(operations * Block);
        Sum(report, "sluice.io.operations", "disk.io.direction=write").ShouldBe(operations);
        Sum(report, "sluice.io.operations", "sluice.caching=cached, ").ShouldBe(Sum(report, "sluice.io.operations", ""));
        Sum(report, "sluice.io.operations", "disk.io.direction=read").ShouldBe(0);
        Sum(report, "sluice.io.operations", "sluice.io.verb=flush").ShouldBeGreaterThanOrEqualTo(1, "it flushes at the end");
        Sum(report, "sluice.io.in_flight", "").ShouldBe(0, "all has ended");
        Sum(report, "sluice.memory.rented", "").ShouldBe(0, "all is given back");
        Sum(report, "sluice.io.edge_transfers", "").ShouldBe(0);
    }

    private async Task<SpeedReport> RunAsync(params string[] options)
    {
        using ToolProcess tool = ToolProcess.Start(
            _folder[""], ["speed", "-t0.1", "--warmup", "0.1", "--metrics", "--json", "result.json", .. options, "a.dat"]);
        ToolRun run = await tool.EndAsync();
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("What the meter \"Sluice\" counted");
        return JsonSerializer.Deserialize(File.ReadAllBytes(_folder["result.json"]), SpeedJsonContext.Default.SpeedReport)!;
    }

    private static double Sum(SpeedReport report, string name, string attribute) =>
        report.Metrics!.Where(m => m.Name == name && m.Attributes.Contains(attribute, StringComparison.Ordinal)).Sum(m => m.Value);
}
