using System.Globalization;

namespace Sluice.Hostile.Tests.Storms;

/// <summary>
/// Cancellation, closing and callers' code that throws, at random moments, on each type that a caller holds. The moments depend on the
/// scheduler too, so a seed reproduces a failure often, not always. SLUICE_STORM_SEED is the first seed of each test.
/// </summary>
[Trait("Tier", "slow")]
public sealed class StormTests : HostileTests
{
    private const int FirstSeed = 20_261_123;
    private const int Rounds = 5;
    private const int MaxRounds = 100;

    public static TheoryData<string, string, FileCaching> Ways
    {
        get
        {
            TheoryData<string, string, FileCaching> data = [];
            foreach (string name in Storm.Names)
            {
                data.Add(name, "own", FileCaching.Cached);
                data.Add(name, "held", FileCaching.Cached);
                if (name != "log")
                {
                    data.Add(name, "own", FileCaching.Direct);
                    data.Add(name, "held", FileCaching.Direct);
                }
            }

            return data;
        }
    }

    private static int Seed =>
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_STORM_SEED"), CultureInfo.InvariantCulture, out int seed)
            ? seed : FirstSeed;

    [Theory]
    [MemberData(nameof(Ways))]
    public Task A_storm(string name, string engine, FileCaching caching)
    {
        int seed = Seed;
        return RepeatAsync(async () =>
        {
            int struck = 0;
            for (int i = 0; i < Rounds || (struck == 0 && i < MaxRounds); i++)
            {
                struck += await Storm.RunAsync(Temp, name, engine, caching, seed++);
            }

            struck.ShouldBeGreaterThan(0, "nobody was disturbed in the midst of a system call");
        });
    }

    [Fact]
    public async Task A_storm_with_two_threads_in_the_pool()
    {
        string seed = Seed.ToString(CultureInfo.InvariantCulture);
        using Child child = new([], [("DOTNET_ThreadPool_ForceMaxWorkerThreads", "2")], "storm", Temp.Root, seed);
        await child.SucceedAsync();
    }
}
