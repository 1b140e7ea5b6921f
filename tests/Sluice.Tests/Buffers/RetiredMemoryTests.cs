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
        GC.KeepAlive(user);
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

    [Fact]
    public void What_waits_is_taken_back_by_its_own_user_alone()
    {
        User user = new();
        User other = new();
        MemoryLease small = AlignedBufferPool.Rent(4096);
        MemoryLease large = AlignedBufferPool.Rent(65_536);
        MemoryLease others = AlignedBufferPool.Rent(1 << 20);
        RetiredMemory.Flush();
        RetiredMemory.Add(large, user);
        RetiredMemory.Add(small, user);
        RetiredMemory.Add(others, other);
        RetiredMemory.TakeBack(user, 100_000).IsEmpty.ShouldBeTrue("the others' is long enough, the user's own is not");
        MemoryLease taken = RetiredMemory.TakeBack(user, 10_000);
        taken.Address.ShouldBe(large.Address);
        RetiredMemory.TakeBack(user, 10_000).IsEmpty.ShouldBeTrue("it was taken");
        RetiredMemory.Count.ShouldBe(2);
        MemoryLease last = RetiredMemory.TakeBack(user, 100);
        last.Address.ShouldBe(small.Address);
        RetiredMemory.Count.ShouldBe(1);
        taken.Return();
        last.Return();
        RetiredMemory.Flush();
        RetiredMemory.Count.ShouldBe(0);
    }

    [Fact]
    public void A_stream_that_is_flushed_again_has_the_window_that_it_gave_up()
    {
        using TempFolder temp = new();
        byte[] content = new byte[100_000];
        Random.Shared.NextBytes(content);
        string path = temp.NewPath();
        using SluiceStream stream = new(path, FileMode.Create, FileAccess.ReadWrite);
        RetiredMemory.Flush();
        WriteAll();
        int waiting = RetiredMemory.Count;
        waiting.ShouldBeGreaterThan(0);
        for (int round = 0; round < 5; round++)
        {
            stream.Position = 0;
            WriteAll();
            RetiredMemory.Count.ShouldBe(waiting, "each window of a round would wait beside those of the rounds before");
        }

        File.ReadAllBytes(path).ShouldBe(content);

        void WriteAll()
        {
            for (int written = 0; written < content.Length; written += 100)
            {
                stream.Write(content, written, 100);
            }

            stream.Flush();
        }
    }

    [Fact]
    public void Memory_of_closed_streams_is_not_in_use_and_waits_for_its_next_use()
    {
        using TempFolder temp = new();
        string path = temp.NewFile(10_000);

        // Others may have filled the pool: there is room for what comes back.
        AlignedBufferPool.Rent(1 << 20).LeaveToCollector();
        RetiredMemory.Flush();
        long rented = AlignedBufferPool.RentedBytes;
        for (int i = 0; i < 3; i++)
        {
            using SluiceStream stream = new(path, FileMode.Open);
            stream.ReadExactly(new byte[100]);
        }

        RetiredMemory.Count.ShouldBeGreaterThanOrEqualTo(3);
        long kept = AlignedBufferPool.KeptBytes;
        AlignedBufferPool.RentedBytes.ShouldBeLessThanOrEqualTo(rented);
        RetiredMemory.Flush();
        AlignedBufferPool.RentedBytes.ShouldBeLessThanOrEqualTo(rented);

        // The pool counts whole arrays, with up to 4 KiB each for alignment.
        long arrays = kept + (3 * 4096);
        AlignedBufferPool.KeptBytes.ShouldBeInRange(kept, arrays, "what waited for a barrier waits for its next use as well");
    }

    [Fact]
    public void A_stream_that_an_interrupted_thread_closes_is_closed()
    {
        using TempFolder temp = new();
        SluiceStream stream = new(temp.NewFile(100_000), FileMode.Open);
        stream.ReadExactly(new byte[100]);
        using BlockingUser user = new();
        RetiredMemory.Flush();
        RetiredMemory.Add(AlignedBufferPool.Rent(4096), user);
        Thread flushing = new(RetiredMemory.Flush);
        flushing.Start();
        user.Asked.Wait();
        bool isInterrupted = false;
        Exception? error = null;
        Thread closing = new(() =>
        {
            error = Record.Exception(stream.Dispose);
            isInterrupted = Record.Exception(static () => Thread.Sleep(1)) is ThreadInterruptedException;
        });
        closing.Start();
        SpinWait.SpinUntil(() => (closing.ThreadState & ThreadState.WaitSleepJoin) != 0);
        closing.Interrupt();
        SpinWait.SpinUntil(() => (closing.ThreadState & ThreadState.WaitSleepJoin) == 0, 20);
        user.MayGoOn.Set();
        closing.Join();
        flushing.Join();
        error.ShouldBeNull();
        stream.SafeFileHandle.IsClosed.ShouldBeTrue();
        isInterrupted.ShouldBeTrue("the interruption is the thread's next wait's");
    }

    /// <summary>Holds whoever asks, who has the lock of all retired memory.</summary>
    private sealed class BlockingUser : IMemoryUser, IDisposable
    {
        public ManualResetEventSlim Asked { get; } = new();

        public ManualResetEventSlim MayGoOn { get; } = new();

        public bool IsCopying
        {
            get
            {
                Asked.Set();
                MayGoOn.Wait();
                return false;
            }
        }

        public void Dispose()
        {
            Asked.Dispose();
            MayGoOn.Dispose();
        }
    }

    private sealed class User : IMemoryUser
    {
        public bool IsCopying { get; init; }
    }
}
