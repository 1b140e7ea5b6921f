using Sluice.Kernel;

namespace Sluice.Tests.Engines;

[Collection(AloneCollection.Name)]
public sealed class TuningTests
{
    [Fact]
    public void The_environment_says_more_than_the_program_and_nothing_is_null()
    {
        const string variable = "SLUICE_TEST_OF_SETTINGS";
        const string knob = "Sluice.TestOfSettings";
        Tuning.Setting(variable, knob).ShouldBeNull();
        try
        {
            AppContext.SetData(knob, 3);
            Tuning.Setting(variable, knob).ShouldBe("3");
            Environment.SetEnvironmentVariable(variable, "4");
            Tuning.Setting(variable, knob).ShouldBe("4");
        }
        finally
        {
            Environment.SetEnvironmentVariable(variable, null);
            AppContext.SetData(knob, null);
        }
    }

    [Fact]
    public void Every_tuned_number_of_the_machine_has_a_sensible_value_when_nothing_is_set()
    {
        Tuning.LongContinuationMicroseconds.ShouldBeInRange(1, 1000);
        Tuning.ProcessorsPerRing.ShouldBeInRange(1, 64);
    }
}
