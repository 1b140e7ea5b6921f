using Shouldly;
using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;
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

    public static TheoryData<FaultKind, FileCaching> Kinds()
    {
        TheoryData<FaultKind, FileCaching> kinds = [];
        foreach (FaultKind kind in Enum.GetValues<FaultKind>().Except([FaultKind.None]))
        {
            foreach (FileCaching caching in Cachings)
            {
                kinds.Add(kind, caching);
            }
        }

        return kinds;
    }

    /// <summary>Kind None stands for all kinds together.</summary>
    [SkippableTheory]
    [MemberData(nameof(Storms))]
    public async Task Workers_meet_right_bytes_or_the_planned_exception(FaultKind kind, FileCaching caching, string inner)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "descriptors are counted in /proc");
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

    /// <summary>Each submission of each member fails in turn, until a run is too short to reach the fault.</summary>
    [Theory]
    [MemberData(nameof(Kinds))]
    public async Task Fault_at_any_submission_leaves_old_or_new_bytes(FaultKind kind, FileCaching caching)
    {
        using Mount mount = new(FileSystemKind.Local);
        byte[] old = Pattern.Bytes(1, 120_000);
        byte[] fresh = Pattern.Bytes(2, 70_001);
        const int offset = 3001;
        for (int member = 0; member < 4; member++)
        {
            long reached = 1;
            for (int n = 0; n < reached && n < 60; n++)
            {
                string path = Path.Combine(mount.Folder, $"{member}-{n}");
                await File.WriteAllBytesAsync(path, old);
                FaultyEngine engine = new(new FaultPlan(n).FailAt(n, kind));
                using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
                {
                    Mode = FileMode.Open,
                    Access = FileAccess.ReadWrite,
                    Caching = caching,
                    Engine = engine,
                });
                string what = $"{kind} at submission {n} of member {member}, {caching}";
                Exception? error = null;
                try
                {
                    await WriteAsync(handle, member, fresh, offset);
                }
                catch (Exception e)
                {
                    error = e;
                }

                reached = engine.OperationCount;
                bool fatal = kind is FaultKind.DeviceError or FaultKind.DiskFull && n < reached;
                (error is not null).ShouldBe(fatal, $"{what}: {error}");
                byte[] content = await File.ReadAllBytesAsync(path);
                content.Length.ShouldBe(old.Length, what);
                for (int i = 0; i < content.Length; i++)
                {
                    bool inRange = i >= offset && i < offset + fresh.Length;
                    bool right = inRange ? content[i] == fresh[i - offset] || (fatal && content[i] == old[i]) : content[i] == old[i];
                    right.ShouldBeTrue($"{what}: byte {i}");
                }

                // The fault has passed: the same handle goes on.
                handle.Write(fresh, offset);
                byte[] read = new byte[fresh.Length];
                (await handle.ReadAsync(read, offset)).ShouldBe(read.Length);
                FileModel.ShouldMatch(read, fresh, what);
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

    private static async Task WriteAsync(SluiceHandle handle, int member, byte[] bytes, int offset)
    {
        switch (member)
        {
            case 0:
                handle.Write(bytes, offset);
                break;
            case 1:
                await handle.WriteAsync(bytes, offset);
                break;
            case 2:
                await handle.WriteAsync([bytes.AsMemory(0, 20_011), default, bytes.AsMemory(20_011)], offset);
                break;
            default:
                handle.WriteBatch([new WriteRequest(offset, bytes.AsMemory(0, 1095)),
                    new WriteRequest(offset + 1095, bytes.AsMemory(1095, 49_152)),
                    new WriteRequest(offset + 1095 + 49_152, bytes.AsMemory(1095 + 49_152))]);
                break;
        }
    }
}
