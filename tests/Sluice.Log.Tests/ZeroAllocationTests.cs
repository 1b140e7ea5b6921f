namespace Sluice.Log.Tests;

/// <summary>Tests that look at the whole process run alone.</summary>
[CollectionDefinition(nameof(AloneCollection), DisableParallelization = true)]
public sealed class AloneCollection;

/// <summary>What an append leaves for the collector.</summary>
[Collection(nameof(AloneCollection))]
public sealed class ZeroAllocationTests
{
    [Fact]
    public async Task No_append_allocates()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentBytes = 1 << 30, Preallocate = false });
        byte[] record = new byte[200];
        await AppendManyAsync(2000);
        long least = long.MaxValue;
        for (int round = 0; round < 10 && least >= 60_000; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await AppendManyAsync(10_000);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // The index has an entry for each 256 KiB, and what the process does beside this is not in every round: two bytes for an append.
        least.ShouldBeLessThan(60_000);

        async Task AppendManyAsync(int count)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(record, LogDurability.Buffered);
                log.Append(record, LogDurability.Written);
                await log.AppendAsync(record, LogDurability.Written);
            }
        }
    }
}
