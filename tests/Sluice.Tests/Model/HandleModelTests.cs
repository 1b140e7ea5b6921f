using Sluice.Testing;
using Xunit.Abstractions;

namespace Sluice.Tests.Model;

/// <summary>
/// Random steps against a model in memory. SLUICE_MODEL_STEPS sets how many in all (20,000), SLUICE_MODEL_SEED the seed; a failure
/// prints both, and the step.
/// </summary>
public sealed class HandleModelTests(ITestOutputHelper output)
{
    private static readonly long Steps = Setting("SLUICE_MODEL_STEPS", 20_000);
    private static readonly int Seed = (int)Setting("SLUICE_MODEL_SEED", 20_261_121);

    /// <summary>Engine, caching, and the share of the steps in percent.</summary>
    public static TheoryData<string, FileCaching, int> Shares
    {
        get
        {
            TheoryData<string, FileCaching, int> shares = new()
            {
                { "own", FileCaching.Cached, 40 },
                { "own", FileCaching.Uncached, 20 },
                { "own", FileCaching.Direct, 20 },
                { "faulty", FileCaching.Cached, 3 },
                { "faulty", FileCaching.Direct, 3 },
            };
            if (!TestedEngines.AreThePool)
            {
                shares.Add("pool", FileCaching.Cached, 8);
                shares.Add("pool", FileCaching.Direct, 6);
            }

            return shares;
        }
    }

    [Theory]
    [MemberData(nameof(Shares))]
    public async Task Random_steps_agree_with_a_model_in_memory(string engine, FileCaching caching, int percent)
    {
        int seed = HashCode(engine, caching);
        IoEngine? chosen = engine switch
        {
            "own" => null,
            "pool" => SluiceEngines.Pool,
            _ => new FaultyEngine(ModelProgram.HarmlessFaults(seed)),
        };
        using TempFolder temp = new();
        await using HandleModel model = new(temp.NewPath(), caching, chosen, seed);
        output.WriteLine($"engine {model.EngineName}, caching {model.EffectiveCaching}, SLUICE_MODEL_SEED={Seed}, seed {seed}");
        long steps = Steps * percent / 100;
        await model.RunAsync(steps);
        model.Step.ShouldBe(steps);
    }

    /// <summary>Each row has a seed of its own, the same on every run.</summary>
    private static int HashCode(string engine, FileCaching caching) => Seed + (engine[0] * 16) + (int)caching;

    private static long Setting(string name, long standard) =>
        long.TryParse(Environment.GetEnvironmentVariable(name), out long value) ? value : standard;
}
