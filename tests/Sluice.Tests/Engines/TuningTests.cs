using System.Reflection;
using System.Runtime.Loader;
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
    public void A_program_sets_every_tuned_number_of_the_machine()
    {
        PropertyInfo[] numbers = typeof(Tuning).GetProperties(BindingFlags.Public | BindingFlags.Static);
        numbers.Length.ShouldBeGreaterThan(10);
        long ValueOf(Type tuning, PropertyInfo number) => Convert.ToInt64(tuning.GetProperty(number.Name)!.GetValue(null), null);
        AssemblyLoadContext context = new("Sluice once more", isCollectible: true);
        try
        {
            foreach (PropertyInfo number in numbers)
            {
                AppContext.SetData($"Sluice.{number.Name}", ValueOf(typeof(Tuning), number) + 1);
            }

            // The library's own were read before.
            Type tuning = context.LoadFromAssemblyPath(typeof(Tuning).Assembly.Location).GetType(typeof(Tuning).FullName!)!;
            foreach (PropertyInfo number in numbers)
            {
                ValueOf(tuning, number).ShouldBe(ValueOf(typeof(Tuning), number) + 1, number.Name);
            }
        }
        finally
        {
            foreach (PropertyInfo number in numbers)
            {
                AppContext.SetData($"Sluice.{number.Name}", null);
            }

            context.Unload();
        }
    }

    [Fact]
    public void Every_tuned_number_of_the_machine_has_a_sensible_value_when_nothing_is_set()
    {
        Tuning.LongContinuationMicroseconds.ShouldBeInRange(1, 1000);
        Tuning.ProcessorsPerRing.ShouldBeInRange(1, 64);
    }
}
