namespace Sluice.Log.Tests;

/// <summary>Tests that look at the whole process run alone.</summary>
[CollectionDefinition(nameof(AloneCollection), DisableParallelization = true)]
public sealed class AloneCollection;

/// <summary>What an append leaves for the collector.</summary>
[Collection(nameof(AloneCollection))]
public sealed class ZeroAllocationTests
{
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task No_append_allocates(LogFormat format)
    {
        // In memory: there a sync takes no time.
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { Format = format, SegmentBytes = 1 << 30, Preallocate = false });
        byte[] record = new byte[200];
        await AppendManyAsync(1000);
        long least = long.MaxValue;
        for (int round = 0; round < 10 && least >= 20_000; round++)
        {
            long before = GC.GetTotalAllocatedBytes(precise: true);
            await AppendManyAsync(2_500);
            least = Math.Min(least, GC.GetTotalAllocatedBytes(precise: true) - before);
        }

        // The index has an entry for each 256 KiB, and what the process does beside this is not in every round: two bytes for an append.
        least.ShouldBeLessThan(20_000);

        async Task AppendManyAsync(int count)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(record, LogDurability.Buffered);
                log.Append(record, LogDurability.Written);
                log.Append(record, LogDurability.Durable);
                await log.AppendAsync(record, LogDurability.Written);
            }
        }
    }

    [Fact]
    public void No_reservation_allocates()
    {
        using TempFolder folder = new(isInMemory: true);
        SluiceLogOptions options = new() { SegmentBytes = 1 << 30, Preallocate = false };
        using SluiceLog log = folder.Open(options);
        using SluiceLog another = SluiceLog.Open(Path.Combine(folder.Root, "another"), options);
        ReserveMany(log, another, 100);
        long before = GC.GetAllocatedBytesForCurrentThread();
        ReserveMany(log, another, 1000);
        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBeLessThan(1000);

        static void ReserveMany(SluiceLog log, SluiceLog another, int count)
        {
            for (int i = 0; i < count; i++)
            {
                using LogReservation outer = log.Reserve(100);
                using LogReservation inner = another.Reserve(100);
                inner.Commit(LogDurability.Buffered);
            }
        }
    }
}
