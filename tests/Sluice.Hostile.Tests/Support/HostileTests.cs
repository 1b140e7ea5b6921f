using System.Diagnostics;
using System.Globalization;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Support;

/// <summary>A folder, the configurations, and what repeats a scenario for every system call.</summary>
public abstract class HostileTests : IDisposable
{
    /// <summary>More system calls than any scenario makes; beyond them a test repeats itself.</summary>
    private const int MaxCalls = 3000;

    /// <summary>As many tests as share the time of a long run, and some more: what comes last is to have its part of it.</summary>
    private const int Tests = 400;

    /// <summary>How long each scenario is repeated in a run by switch, in seconds; 0 for once.</summary>
    private static readonly double SecondsEach = Minutes() * 60 / Tests;

    /// <summary>Since the first test; what comes when the time is over is done once.</summary>
    private static readonly Stopwatch s_run = Stopwatch.StartNew();

    private protected TempFolder Temp { get; } = new();

    /// <summary>
    /// Engine x caching: "own" is the process's engine, "held" one whose completions come late, from a thread of the pool.
    /// </summary>
    public static TheoryData<string, FileCaching> Cases => new()
    {
        { "own", FileCaching.Cached },
        { "own", FileCaching.Direct },
        { "held", FileCaching.Direct },
    };

    public virtual void Dispose()
    {
        SystemCallFaults.Use(null);
        Temp.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected static void SkipWithoutRing() =>
        Skip.If(SluiceEngines.UringReason is not null, $"this process has no ring: {SluiceEngines.UringReason}");

    private protected static IoEngine? Engine(string name) => name == "own" ? null : new HeldEngine();

    /// <summary>
    /// Repeats a scenario with something that another thread does at the first system call of the library, at the second, and so on until
    /// there are no more: once so that the call waits for it, once beside the call.
    /// </summary>
    private protected Task EveryStepAsync(Func<Steps, Task> scenario) => RepeatAsync(() => EveryStepOnceAsync(scenario));

    private static double Minutes()
    {
        string? asked = Environment.GetEnvironmentVariable("SLUICE_HOSTILE_MINUTES");
        return double.TryParse(asked, CultureInfo.InvariantCulture, out double minutes) ? minutes : 0;
    }

    private protected static async Task RepeatAsync(Func<Task> round)
    {
        Stopwatch time = Stopwatch.StartNew();
        do
        {
            await round();
        }
        while (time.Elapsed.TotalSeconds < SecondsEach && s_run.Elapsed.TotalMinutes < Minutes());
    }

    private async Task EveryStepOnceAsync(Func<Steps, Task> scenario)
    {
        foreach (bool waits in (bool[])[true, false])
        {
            bool hasStruck = true;
            int at = 0;
            while (hasStruck)
            {
                at++;
                at.ShouldBeLessThan(MaxCalls, "a scenario without an end");
                Accounts accounts = Accounts.Open(Temp.Root);
                using Steps steps = new(at, waits);
                try
                {
                    await Watchdog.EndsAsync(() => scenario(steps), $"step {at}");
                }
                catch (Exception e)
                {
                    Assert.Fail($"step {at} ({steps.Call}), waiting {waits}: {e}");
                }

                await accounts.CloseAsync($"step {at} ({steps.Call}), waiting {waits}");
                hasStruck = steps.HasStruck;
            }

            at.ShouldBeGreaterThan(1, "there was no step");
        }
    }
}
