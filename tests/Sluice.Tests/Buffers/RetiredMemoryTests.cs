using Sluice.Memory;

namespace Sluice.Tests.Buffers;

[Collection(AloneCollection.Name)]
public sealed class RetiredMemoryTests : AccountedTests
{
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Memory_whose_user_is_copying_is_nobodys_and_other_memory_is_used_again(bool isCopying)
    {
        User user = new() { IsCopying = isCopying };
        MemoryLease lease = AlignedBufferPool.Rent(700_000);
        nint address = lease.Address;
        byte[] array = lease.Array;
        RetiredMemory.Add(lease, user);
        RetiredMemory.Flush();
        MemoryLease[] next = [.. Enumerable.Range(0, 20).Select(static _ => AlignedBufferPool.Rent(700_000))];
        next.Count(l => l.Address == address).ShouldBe(isCopying ? 0 : 1);
        Array.ForEach(next, static l => l.Return());
        GC.KeepAlive(array);
    }

    [Fact]
    public void What_waits_is_bounded()
    {
        User user = new();
        for (int length = 4096; length <= 1 << 20; length *= 2)
        {
            for (int i = 0; i < 100; i++)
            {
                RetiredMemory.Add(AlignedBufferPool.Rent(length), user);
                RetiredMemory.Count.ShouldBeLessThan(32);
                (RetiredMemory.Count * (long)length).ShouldBeLessThan(4 << 20);
            }

            RetiredMemory.Flush();
            RetiredMemory.Count.ShouldBe(0);
        }
    }

    private sealed class User : IMemoryUser
    {
        public bool IsCopying { get; init; }
    }
}
