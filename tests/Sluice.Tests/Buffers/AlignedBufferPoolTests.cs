using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Tests.Buffers;

[Collection(AloneCollection.Name)]
public sealed class AlignedBufferPoolTests : AccountedTests
{
    private const int Largest = 1024 * 1024;
#if DEBUG
    private const int SixteenthOfSlab = 4096;
#else
    private const int SixteenthOfSlab = 256 * 1024;
#endif

    private static readonly int MostOfOneSize = (int)(AlignedBufferPool.MaxKeptBytes * Tuning.AlignedBufferPoolMostOfOneSize);

    [Fact]
    public void Buffers_are_aligned_long_enough_and_counted()
    {
        int before = AlignedBufferPool.Rented;
        List<MemoryLease> leases = [];
        foreach (int length in (int[])[0, 1, 512, 4095, 4096, 4097, 8192, 8193, Largest - 1, Largest, Largest + 1, 5_000_000])
        {
            MemoryLease lease = AlignedBufferPool.Rent(length);
            leases.Add(lease);
            (lease.Address % 4096).ShouldBe(0);
            lease.Length.ShouldBeGreaterThanOrEqualTo(length);
            lease.Span.Fill(0xEE);
        }

        leases.Select(static l => l.Address).Distinct().Count().ShouldBe(leases.Count);
        AlignedBufferPool.Rented.ShouldBe(before + leases.Count);
        leases.ForEach(static l => l.Return());
        AlignedBufferPool.Rented.ShouldBe(before);
    }

    /// <summary>As a line of a scan may need that is nearly as long as an array.</summary>
    [SkippableTheory]
    [InlineData(HugePages.PageBytes)]
    [InlineData(4096)]
    public void A_buffer_may_be_nearly_as_long_as_an_array(int less)
    {
        Skip.If(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes < 8L << 30, "there is too little memory here");
        MemoryLease lease = AlignedBufferPool.Rent(Array.MaxLength - less);
        lease.Length.ShouldBe(Array.MaxLength - less);
        (lease.Address % 4096).ShouldBe(0);
        lease.Span[^1] = 1;
        lease.Return();
    }

    [Fact]
    public async Task A_process_that_wants_no_buffers_kept_reads_and_writes()
    {
        using TempFolder temp = new();
        (await ChildProcess.RunAsync("small-pool", temp.NewPath())).ShouldBe(0);
    }

    [Theory]
    [InlineData(100)]
    [InlineData(60_000)]
    [InlineData(Largest)]
    public void What_is_returned_is_rented_again(int length)
    {
        // A thread may go to another processor, which has memory of its own at hand.
        HashSet<nint> addresses = [];
        for (int i = 0; i < 1000; i++)
        {
            MemoryLease lease = AlignedBufferPool.Rent(length);
            addresses.Add(lease.Address);
            lease.Return();
        }

        addresses.Count.ShouldBeLessThanOrEqualTo(Environment.ProcessorCount);
    }

    [Fact]
    public void More_than_the_largest_is_not_kept()
    {
        long kept = AlignedBufferPool.KeptBytes;
        AlignedBufferPool.Rent(Largest + 1).Return();
        AlignedBufferPool.KeptBytes.ShouldBe(kept);
    }

    [Fact]
    public void No_more_is_kept_than_the_pool_says_whatever_the_sizes()
    {
        long limit = AlignedBufferPool.MaxKeptBytes + (Environment.ProcessorCount * 4L * 124 * 1024);
        for (int length = 4096; length <= Largest; length *= 2)
        {
            MemoryLease[] leases = [.. Enumerable.Range(0, (20 << 20) / length).Select(_ => AlignedBufferPool.Rent(length))];
            Array.ForEach(leases, static l => l.Return());
            AlignedBufferPool.KeptBytes.ShouldBeLessThanOrEqualTo(limit);

            // What was used last is what is kept.
            AlignedBufferPool.KeptBytes.ShouldBeGreaterThan(AlignedBufferPool.MaxKeptBytes - Largest);
        }
    }

    /// <summary>What the arrays take, alignment and all of a shared slab included, and not what their users see of them.</summary>
    [Theory]
    [InlineData(4096, false)]
    [InlineData(64 * 1024, false)]
    [InlineData(8 * SixteenthOfSlab, true)]
    [InlineData(SixteenthOfSlab, true)]
    public void Arrays_of_what_is_kept_are_no_longer_than_the_pool_says(int length, bool isOfMany)
    {
        // Beside it each processor has one buffer of a size at hand, of a slab perhaps.
        long atHand = Environment.ProcessorCount * 4L * (isOfMany ? 17 * SixteenthOfSlab : length + 4096);
        List<WeakReference> arrays = UseMany(length, isOfMany);
        GC.Collect();
        GC.Collect();
        arrays.Select(static a => (byte[]?)a.Target).Where(static a => a is not null).Distinct().Sum(static a => (long)a!.Length)
            .ShouldBeLessThanOrEqualTo(AlignedBufferPool.MaxKeptBytes + atHand);
    }

    [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
    private static List<WeakReference> UseMany(int length, bool isOfMany)
    {
        MemoryLease[] leases =
            [.. Enumerable.Range(0, (48 << 20) / length).Select(_ => isOfMany ? AlignedBufferPool.RentOfMany(length) : AlignedBufferPool.Rent(length))];
        List<WeakReference> arrays = [.. leases.Select(static l => new WeakReference(l.Array))];
        for (int i = 0; i < leases.Length; i++)
        {
            // Of each slab one part comes back.
            if (isOfMany && i % 2 == 0)
            {
                leases[i].LeaveToCollector();
            }
            else
            {
                leases[i].Return();
            }
        }

        return arrays;
    }

    [Fact]
    public void What_is_used_now_stays_and_other_sizes_give_way()
    {
        RentAndReturn(64 * 1024, AlignedBufferPool.MaxKeptBytes);
        HashSet<nint> first = RentAndReturn(Largest, MostOfOneSize);
        RentAndReturn(Largest, MostOfOneSize).IsSubsetOf(first).ShouldBeTrue();
    }

    /// <summary>A slab lives as long as anybody has a part of it: whoever keeps one must find the others there.</summary>
    [Fact]
    public void Parts_of_a_slab_stay_for_those_who_come_next()
    {
        TakeWhatIsKept();
        MemoryLease[] held = new MemoryLease[16];
        int slabs = 0;
        for (int i = 0; i < held.Length; i++)
        {
            long before = GC.GetAllocatedBytesForCurrentThread();
            held[i] = AlignedBufferPool.RentOfMany(SixteenthOfSlab);
            slabs += GC.GetAllocatedBytesForCurrentThread() - before >= 16 * SixteenthOfSlab ? 1 : 0;
            RentAndReturn(Largest, AlignedBufferPool.MaxKeptBytes);
        }

        slabs.ShouldBeLessThan(3);
        Array.ForEach(held, static l => l.Return());
    }

    [Fact]
    public void Buffers_cut_from_one_slab_do_not_overlap_and_are_kept()
    {
        MemoryLease[] leases = [.. Enumerable.Range(0, 40).Select(static _ => AlignedBufferPool.RentOfMany(30_000))];
        for (int i = 0; i < leases.Length; i++)
        {
            (leases[i].Address % 4096).ShouldBe(0);
            leases[i].Span.Fill((byte)i);
        }

        for (int i = 0; i < leases.Length; i++)
        {
            leases[i].Span.IndexOfAnyExcept((byte)i).ShouldBe(-1);
        }

        nint[] addresses = [.. leases.Select(static l => l.Address)];
        Array.ForEach(leases, static l => l.Return());
        MemoryLease again = AlignedBufferPool.RentOfMany(30_000);
        addresses.ShouldContain(again.Address);
        again.Return();
    }

    [Fact]
    public void Memory_left_to_the_collector_is_nobodys()
    {
        int before = AlignedBufferPool.Rented;
        MemoryLease left = AlignedBufferPool.Rent(100);
        nint address = left.Address;
        byte[] array = left.Array;
        left.LeaveToCollector();
        AlignedBufferPool.Rented.ShouldBe(before);
        MemoryLease[] others = [.. Enumerable.Range(0, 1000).Select(static _ => AlignedBufferPool.Rent(100))];
        others.ShouldNotContain(l => l.Address == address);
        Array.ForEach(others, static l => l.Return());
        GC.KeepAlive(array);
    }

    [Fact]
    public async Task Threads_that_return_what_others_rented_never_share_memory()
    {
        const int Threads = 4;
        (MemoryLease Lease, int Mark)[] places = new (MemoryLease, int)[Threads];
        Lock gate = new();
        int shared = 0;
        await Task.WhenAll(Enumerable.Range(1, Threads).Select(n => Task.Run(() =>
        {
            Random random = new(n);
            for (int i = 0; i < 20_000; i++)
            {
                (MemoryLease Lease, int Mark) mine = (AlignedBufferPool.Rent(4096 << random.Next(7)), (n << 24) | i);
                MemoryMarshal.Write(mine.Lease.Span, mine.Mark);
                (MemoryLease Lease, int Mark) other;
                lock (gate)
                {
                    ref (MemoryLease, int) place = ref places[random.Next(Threads)];
                    other = place;
                    place = mine;
                }

                if (!other.Lease.IsEmpty && MemoryMarshal.Read<int>(other.Lease.Span) != other.Mark)
                {
                    Interlocked.Increment(ref shared);
                }

                other.Lease.Return();
            }
        })));

        Array.ForEach(places, static p => p.Lease.Return());
        shared.ShouldBe(0);
    }

    /// <summary>Buffers of other sizes, kept by other tests, could have more of the room than the parts of a slab, which would give way.</summary>
    private static void TakeWhatIsKept()
    {
        for (int length = 4096; length <= Largest; length *= 2)
        {
            bool isKept = true;
            while (isKept)
            {
                long before = GC.GetAllocatedBytesForCurrentThread();
                MemoryLease lease = AlignedBufferPool.Rent(length);
                isKept = GC.GetAllocatedBytesForCurrentThread() - before < length;
                lease.LeaveToCollector();
            }
        }
    }

    private static HashSet<nint> RentAndReturn(int length, int bytes)
    {
        MemoryLease[] leases = [.. Enumerable.Range(0, bytes / length).Select(_ => AlignedBufferPool.Rent(length))];
        HashSet<nint> addresses = [.. leases.Select(static l => l.Address)];
        Array.ForEach(leases, static l => l.Return());
        return addresses;
    }
}
