using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class ProcessorFrequencyTests
{
    [Fact]
    public void The_frequency_in_the_model_name_is_the_nominal_one() =>
        ProcessorFrequency.ParseHz(["cpu MHz\t\t: 3400.000", "model name\t: Intel(R) Xeon(R) CPU @ 2.60GHz"]).ShouldBe(2.6e9);

    [Fact]
    public void Without_it_the_present_frequency_is_taken() =>
        ProcessorFrequency.ParseHz(["model name\t: AMD EPYC", "cpu MHz\t\t: 2596.122", "cpu MHz\t\t: 1000.0"]).ShouldBe(2596.122e6);

    [Fact]
    public void Without_either_there_is_none() => ProcessorFrequency.ParseHz(["processor : 0", "no colon here"]).ShouldBeNull();
}
