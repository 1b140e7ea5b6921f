using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class CpuMeterTests
{
    [Fact]
    public void The_time_of_children_is_read_behind_the_programs_name() =>
        CpuMeter.ParseChildTime("7 (a) b (c)) S 1 7 7 0 -1 4194560 100 200 0 0 11 12 130 14 20 0 1 0 5")
            .ShouldBe(TimeSpan.FromMilliseconds(1440));

    [Fact]
    public void Process_time_grows_with_work()
    {
        TimeSpan before = CpuMeter.ProcessTime();
        long sum = 0;
        // A clock with ticks of up to 10 ms: work on until it moved.
        while (CpuMeter.ProcessTime() == before)
            sum += Enumerable.Range(0, 10_000).Sum(i => (long)i);
        (sum, CpuMeter.ProcessTime()).Item2.ShouldBeGreaterThan(before);
    }
}
