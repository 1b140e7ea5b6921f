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
    public void A_number_is_clamped_and_text_that_is_no_number_is_ignored()
    {
        const string knob = "Sluice.TestOfNumbers";
        try
        {
            Tuning.Number(knob, 4, 1, 64).ShouldBe(4);
            AppContext.SetData(knob, "1000");
            Tuning.Number(knob, 4, 1, 64).ShouldBe(64);
            AppContext.SetData(knob, 0);
            Tuning.Number(knob, 4, 1, 64).ShouldBe(1);
            AppContext.SetData(knob, "many");
            Tuning.Number(knob, 4, 1, 64).ShouldBe(4);
        }
        finally
        {
            AppContext.SetData(knob, null);
        }
    }
}
