using System.Diagnostics;
using Sluice.Testing;

namespace Sluice.Tests.Model;

/// <summary>The long model run, in a process of its own: prints how far it is, so that a run that is stopped tells too.</summary>
internal static class ModelProgram
{
    private const long StepsPerReport = 100_000;

    public static async Task<int> RunAsync(string engine, FileCaching caching, int seed, long steps, string folder)
    {
        using TempFolder temp = new(folder);
        long begin = Stopwatch.GetTimestamp();
        HandleModel model = new(temp.NewPath(), caching, EngineNamed(engine, seed), seed);
        await using (model)
        {
            Console.WriteLine($"engine {model.EngineName}, caching {model.EffectiveCaching}, seed {seed}, {steps} steps");
            try
            {
                while (model.Step < steps)
                {
                    await model.RunAsync(Math.Min(StepsPerReport, steps - model.Step));
                    Console.WriteLine($"{model.Step} steps right after {Stopwatch.GetElapsedTime(begin).TotalSeconds:F0} s");
                }
            }
            catch (ModelException e)
            {
                Console.WriteLine(e);
                return 1;
            }
        }

        Console.WriteLine("all right");
        return 0;
    }

    /// <summary>"uring" and "pool" name the process's own engine and need SLUICE_ENGINE to agree; "faulty" puts harmless faults before
    /// it.</summary>
    public static IoEngine? EngineNamed(string engine, int seed)
    {
        if (engine == "faulty")
        {
            return new FaultyEngine(HarmlessFaults(seed));
        }

        return SluiceEngines.Default.Name == engine ? null
            : throw new ArgumentException($"SLUICE_ENGINE does not ask for {engine}.", nameof(engine));
    }

    /// <summary>Faults after which every result must still be right.</summary>
    public static FaultPlan HarmlessFaults(int seed) =>
        new(seed) { ShortTransfer = 0.3, Eintr = 0.1, Eagain = 0.1, Delay = 0.01, Reorder = 0.03, MaxDelayMs = 1 };
}
