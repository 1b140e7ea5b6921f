using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class WorkloadRunnerTests : IDisposable
{
    private readonly TempFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_slice_has_a_request_however_late_its_threads_begin(int? outstanding)
    {
        await File.WriteAllBytesAsync(_folder["a"], new byte[65_536]);
        var workload = new Workload(_folder["a"], 65_536, 4096) { Outstanding = outstanding };
        using var runner = new WorkloadRunner(workload);
        using IoTarget target = StripedTarget.Open(IoSide.Sluice, workload);
        var measurement = new Measurement();
        await runner.RunSliceAsync(target, measurement, TimeSpan.Zero, CancellationToken.None);
        measurement.Operations.ShouldBeGreaterThan(0);
        measurement.Bytes.ShouldBe(measurement.Operations * 4096);
    }
}
