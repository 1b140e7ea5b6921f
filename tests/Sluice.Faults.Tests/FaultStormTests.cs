using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Testing;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>
/// Every member of a handle over a <see cref="FaultyEngine"/>: a right result or the right exception, never wrong bytes, a hang or a
/// leak. SLUICE_FAULT_RUNS multiplies the seeds; each is in the message of a failure.
/// </summary>
[Trait("Tier", "slow")]
public sealed class FaultStormTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(3);

    /// <summary>An uncached transfer is a cached one with a flag of its call.</summary>
    private static readonly FileCaching[] Cachings = [FileCaching.Cached, FileCaching.Direct];

    private static int Runs => int.TryParse(Environment.GetEnvironmentVariable("SLUICE_FAULT_RUNS"), out int runs) ? Math.Max(runs, 1) : 1;

    public static TheoryData<FaultKind, FileCaching, string> Storms()
    {
        TheoryData<FaultKind, FileCaching, string> storms = [];
        int turn = 0;
        foreach (FaultKind kind in Enum.GetValues<FaultKind>())
        {
            foreach (FileCaching caching in kind == FaultKind.None ? Enum.GetValues<FileCaching>() : Cachings)
            {
                storms.Add(kind, caching, TestedEngines.Names[turn++ % TestedEngines.Names.Count]);
            }
        }

        return storms;
    }

    /// <summary>Kind None stands for all kinds together.</summary>
    [LinuxTheory]
    [MemberData(nameof(Storms))]
    public async Task Workers_meet_right_bytes_or_the_planned_exception(FaultKind kind, FileCaching caching, string inner)
    {
        IoEngine engine = inner == "pool" ? SluiceEngines.Pool : SluiceEngines.Default;
        for (int run = 0; run < Runs; run++)
        {
            int seed = HashOf(kind, caching) + run;
            using Mount mount = new(FileSystemKind.Local);
            await StormAsync(new FaultyEngine(new FaultPlan(seed), engine), "calm");
            LeakCounters before = new(mount.Folder);
            FaultyEngine faulty = new(Plan(kind, seed), engine);
            StormRun storm = await StormAsync(faulty, "storm");
            faulty.FaultCount.ShouldBeGreaterThan(20, storm.Name);
            (storm.Failures > 0).ShouldBe(faulty.Plan.Eio > 0 || faulty.Plan.Enospc > 0, storm.Name);
            await before.ShouldBeAsBeforeAsync(faulty.OperationCount, storm.Name);

            async Task<StormRun> StormAsync(FaultyEngine with, string name)
            {
                StormRun result = new(Path.Combine(mount.Folder, name), caching, with, seed);
                Task task = result.RunAsync();
                (await Task.WhenAny(task, Task.Delay(Patience))).ShouldBe(task, $"{result.Name} hangs");
                await task;
                return result;
            }
        }
    }

    private static int HashOf(FaultKind kind, FileCaching caching) => 1000 * (int)kind + 100 * (int)caching;

    private static FaultPlan Plan(FaultKind kind, int seed)
    {
        bool all = kind == FaultKind.None;
        return new FaultPlan(seed)
        {
            ShortTransfer = kind == FaultKind.ShortTransfer ? 0.4 : all ? 0.1 : 0,
            Eintr = kind == FaultKind.Interrupted ? 0.3 : all ? 0.05 : 0,
            Eagain = kind == FaultKind.Busy ? 0.3 : all ? 0.05 : 0,
            Eio = kind == FaultKind.DeviceError ? 0.1 : all ? 0.02 : 0,
            Enospc = kind == FaultKind.DiskFull ? 0.1 : all ? 0.02 : 0,
            Delay = kind == FaultKind.Delay ? 0.2 : all ? 0.05 : 0,
            Reorder = kind == FaultKind.Reorder ? 0.4 : all ? 0.05 : 0,
        };
    }
}
