using Shouldly;
using Sluice.Faults.Child.Support;
using Sluice.Faults.Tests.Support;
using Sluice.Testing;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A handle that is closed in the middle of a storm: every task ends, and nothing stays.</summary>
[Trait("Tier", "slow")]
public sealed class DisposalTests
{
    public static TheoryData<FileCaching, string> Cases()
    {
        TheoryData<FileCaching, string> cases = [];
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            foreach (string engine in TestedEngines.Names)
            {
                cases.Add(caching, engine);
            }
        }

        return cases;
    }

    [LinuxTheory]
    [MemberData(nameof(Cases))]
    public async Task Closing_with_faulty_transfers_in_flight_ends_them_all(FileCaching caching, string inner)
    {
        const int rounds = 16;
        const int each = 48;
        using Mount mount = new(FileSystemKind.Local);
        string path = Path.Combine(mount.Folder, "closed");
        byte[] content = Pattern.Bytes(1, 400_000);
        await File.WriteAllBytesAsync(path, content);
        IoEngine engine = inner == "pool" ? SluiceEngines.Pool : SluiceEngines.Default;
        LeakCounters? before = null;
        for (int round = 0; round < rounds; round++)
        {
            FaultPlan plan = new(round) { ShortTransfer = 0.2, Eintr = 0.1, Eagain = 0.1, Delay = 0.2, Reorder = 0.2 };
            SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
            {
                Access = FileAccess.ReadWrite,
                Share = FileShare.ReadWrite,
                Caching = caching,
                Engine = round % 4 == 3 ? null : new FaultyEngine(plan, engine),
            });
            List<Task> tasks = [];
            for (int i = 0; i < each; i++)
            {
                // The file keeps its bytes: writes write what is there.
                int at = (i * 7919 + round) % 300_000;
                int length = i % 3 == 0 ? 4096 : 1 + i * 331;
                at = i % 3 == 0 ? at & ~4095 : at;
                tasks.Add((i % 5) switch
                {
                    0 => handle.ReadAsync(new byte[length], at).AsTask(),
                    1 => handle.WriteAsync(content.AsMemory(at, length), at).AsTask(),
                    2 => handle.ReadAsync([new byte[length], new byte[7]], at).AsTask(),
                    3 => handle.WriteAsync([content.AsMemory(at, length / 2), content.AsMemory(at + length / 2, length - length / 2)],
                        at).AsTask(),
                    _ => handle.FlushDataToDiskAsync().AsTask(),
                });
            }

            handle.Dispose();
            Task all = Task.WhenAll(tasks);
            (await Task.WhenAny(all, Task.Delay(TimeSpan.FromMinutes(3)))).ShouldBe(all, $"seed {round}: a transfer never ends");
            await all;
            if (round == rounds / 2)
            {
                before = new LeakCounters(mount.Folder);
            }
        }

        await before!.ShouldBeAsBeforeAsync(rounds * each, $"{caching}, {inner}");
        (await File.ReadAllBytesAsync(path)).ShouldBe(content);
    }
}
