using Sluice.Memory;

namespace Sluice.Tests.Buffers;

[Collection(AloneCollection.Name)]
public sealed class MemoryLeaseTests
{
    [Fact]
    public void The_empty_lease_owns_nothing()
    {
        int rented = AlignedBufferPool.Rented;
        MemoryLease empty = default;
        empty.IsEmpty.ShouldBeTrue();
        empty.Length.ShouldBe(0);
        empty.Return();
        empty.LeaveToCollector();
        AlignedBufferPool.Rented.ShouldBe(rented);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Memory_given_back_twice_stays_its_next_holders(bool leaves)
    {
        int rented = AlignedBufferPool.Rented;
        int twice = AlignedBufferPool.SecondReturns;
        MemoryLease first = AlignedBufferPool.Rent(5_000_000);
        first.Return();
        MemoryLease lease = AlignedBufferPool.Rent(70_000);
        lease.Return();
        MemoryLease next = AlignedBufferPool.Rent(70_000);
        EndAgain(lease, leaves);
        EndAgain(first, leaves);
        AlignedBufferPool.SecondReturns.ShouldBe(twice + 2);
        AlignedBufferPool.Rented.ShouldBe(rented + 1);
        MemoryLease other = AlignedBufferPool.Rent(70_000);
        other.Address.ShouldNotBe(next.Address);
        other.Return();
        next.Return();
        AlignedBufferPool.Rented.ShouldBe(rented);
    }

    [Fact]
    public async Task Of_two_threads_that_end_a_lease_at_once_one_has_an_effect()
    {
        int rented = AlignedBufferPool.Rented;
        int twice = AlignedBufferPool.SecondReturns;
        for (int i = 0; i < 500; i++)
        {
            MemoryLease lease = AlignedBufferPool.Rent(70_000);
            await Task.WhenAll(Task.Run(() => TryEnd(lease)), Task.Run(() => TryEnd(lease)));
            MemoryLease[] next = [AlignedBufferPool.Rent(70_000), AlignedBufferPool.Rent(70_000)];
            next[0].Address.ShouldNotBe(next[1].Address);
            Array.ForEach(next, static l => l.Return());
        }

        AlignedBufferPool.SecondReturns.ShouldBe(twice + 500);
        AlignedBufferPool.Rented.ShouldBe(rented);
    }

#if DEBUG
    [Fact]
    public void A_stale_lease_shows_its_memory_to_nobody()
    {
        MemoryLease lease = AlignedBufferPool.Rent(100);
        lease.Return();
        Should.Throw<InvalidOperationException>(() => lease.Array);
        Should.Throw<InvalidOperationException>(() => lease.Address);
    }

    private static void EndAgain(MemoryLease lease, bool leaves) => Should.Throw<InvalidOperationException>(() => End(lease, leaves));
#else
    private static void EndAgain(MemoryLease lease, bool leaves) => End(lease, leaves);
#endif

    private static void End(MemoryLease lease, bool leaves)
    {
        if (leaves)
        {
            lease.LeaveToCollector();
        }
        else
        {
            lease.Return();
        }
    }

    private static void TryEnd(MemoryLease lease)
    {
        try
        {
            lease.Return();
        }
        catch (InvalidOperationException)
        {
            // In Debug builds the second one throws.
        }
    }
}
