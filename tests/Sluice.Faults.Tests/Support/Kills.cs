using System.Globalization;
using Shouldly;

namespace Sluice.Faults.Tests.Support;

/// <summary>Children that are killed at random moments, often enough that some kills hit.</summary>
internal static class Kills
{
    /// <summary>How often on each file system: SLUICE_KILLS, or this, since each kill costs the start of a process.</summary>
    private const int Default = 5;

    /// <summary>Kills that all fell between two operations have proved nothing: there are more, up to so many times as many.</summary>
    private const int MaxFold = 10;

    private const int MaxSpins = 20_000;

    private static readonly int Asked =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills) && kills > 0 ? kills
            : Default;

    /// <summary>
    /// Starts a child, waits for its first line, kills it a little later and has what it left checked; again and again.
    /// </summary>
    /// <param name="seed">Of the moments.</param>
    /// <param name="maxDelayMs">The longest time between the first line and the kill, about.</param>
    /// <param name="start">Starts the child of a kill of this number.</param>
    /// <param name="checkAsync">
    /// Given the number of the kill, the child's first line and the lines after it: whether the kill fell into an operation.
    /// </param>
    public static async Task RunAsync(
        int seed, int maxDelayMs, Func<int, ChildProcess> start, Func<int, string, string[], Task<bool>> checkAsync)
    {
        Random random = new(seed);
        int hits = 0;
        for (int kill = 0; kill < Asked || (hits == 0 && kill < Asked * MaxFold); kill++)
        {
            string first;
            string[] rest;
            using (ChildProcess child = start(kill))
            {
                first = (await child.Output.ReadLineAsync()).ShouldNotBeNull(child.ExitedWithErrors());
                await Task.Delay(random.Next(maxDelayMs));
                for (int spin = random.Next(MaxSpins); spin > 0; spin--)
                {
                    Thread.SpinWait(1);
                }

                child.Kill();
                rest = await child.FinishAsync();
            }

            hits += await checkAsync(kill, first, rest) ? 1 : 0;
        }

        hits.ShouldBeGreaterThan(0, "the kills all fell between two operations, and nothing was proved");
    }
}
