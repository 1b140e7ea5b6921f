using Sluice.Tests.Shared;
using Xunit.Abstractions;
using Kinds = Sluice.Log.Tests.Support.StormFaults.Kinds;

namespace Sluice.Log.Tests;

/// <summary>
/// System calls that fail at random under all that a log does, on whoever calls it and on its own threads, beside followers; it is closed,
/// opened and killed meanwhile. A seed sets what is tried, not how threads meet: a failure may take some runs to come again.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class SystemCallStormTests(ITestOutputHelper output)
{
    private const int Rounds = 40;

    /// <summary>SLUICE_LOG_FLIPS=all asks for more, SLUICE_LOG_SEED for others.</summary>
    public static TheoryData<int> Seeds =>
        [.. Enumerable.Range(
            int.TryParse(Environment.GetEnvironmentVariable("SLUICE_LOG_SEED"), out int first) ? first : 1,
            Environment.GetEnvironmentVariable("SLUICE_LOG_FLIPS") == "all" ? 1000 : 16)];

    [SkippableTheory]
    [MemberData(nameof(Seeds))]
    public void What_is_acknowledged_between_system_calls_that_fail_is_there(int seed)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        StormTrace trace = new();
        try
        {
            using (StormFaults faults = new(folder.Log, seed, trace))
            using (StormedLog log = new(folder, seed, faults, trace))
            {
                Random random = new(seed);
                for (int round = 0; round < Rounds; round++)
                {
                    faults.Set(Choose(random), random.Next(3) switch { 0 => 1000, 1 => 500, _ => 100 });
                    for (int i = random.Next(1, 8); i > 0; i--)
                    {
                        log.Step();
                    }
                }

                log.CheckInCalm();
            }

            OpenFiles.Of(folder.Root).ShouldBeEmpty();
        }
        catch
        {
            output.WriteLine(trace.ToString());
            throw;
        }
    }

    /// <summary>Up to three kinds; a quarter of the time none.</summary>
    private static Kinds Choose(Random random)
    {
        Kinds kinds = Kinds.None;
        for (int i = random.Next(4); i > 0; i--)
        {
            kinds |= (Kinds)(1 << random.Next(15));
        }

        return kinds;
    }
}
