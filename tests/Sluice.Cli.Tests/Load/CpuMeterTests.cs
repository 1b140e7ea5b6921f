using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class CpuMeterTests
{
    [Fact]
    public void The_frequency_in_the_model_name_is_the_nominal_one() =>
        CpuMeter.ParseFrequencyHz(["cpu MHz\t\t: 3400.000", "model name\t: Intel(R) Xeon(R) CPU @ 2.60GHz"]).ShouldBe(2.6e9);

    [Fact]
    public void Without_it_the_present_frequency_is_taken() =>
        CpuMeter.ParseFrequencyHz(["model name\t: AMD EPYC", "cpu MHz\t\t: 2596.122", "cpu MHz\t\t: 1000.0"]).ShouldBe(2596.122e6);

    [Fact]
    public void Without_either_there_is_none() => CpuMeter.ParseFrequencyHz(["processor : 0", "no colon here"]).ShouldBeNull();

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
