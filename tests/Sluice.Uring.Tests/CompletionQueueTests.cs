using System.Reflection;
using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

public sealed class CompletionQueueTests : RingTest
{
    [SkippableFact]
    public unsafe void Completions_keep_order_and_contents_over_many_laps_with_uneven_reaping()
    {
        using Ring ring = CreateRing(entries: 4, cqEntries: 8);
        IoUringCqe[] cqes = new IoUringCqe[8];
        ulong submitted = 0;
        ulong seen = 0;
        Random random = new(777);
        while (seen < 20_000)
        {
            int room = (int)Math.Min(ring.SqEntries, ring.CqEntries - ring.InFlight);
            int count = random.Next(0, room + 1);
            for (int i = 0; i < count; i++)
            {
                Prep.Nop(Take(ring), submitted++);
            }

            ring.Submit().ShouldBe(count);
            int taken = ring.Take(cqes.AsSpan(0, random.Next(0, 6)));
            foreach (IoUringCqe cqe in cqes.AsSpan(0, taken))
            {
                cqe.UserData.ShouldBe(seen++);
            }
        }
    }

    [SkippableFact]
    public unsafe void Take_takes_no_more_than_the_destination_holds()
    {
        using Ring ring = CreateRing();
        for (ulong i = 0; i < 5; i++)
        {
            Prep.Nop(Take(ring), i);
        }

        ring.SubmitAndWait(5).ShouldBe(5);
        IoUringCqe[] cqes = new IoUringCqe[3];

        ring.CqReady.ShouldBe(5u);
        ring.Take([]).ShouldBe(0);
        ring.Take(cqes).ShouldBe(3);
        ring.CqReady.ShouldBe(2u);
        ring.InFlight.ShouldBe(2u);
        ring.Take(cqes).ShouldBe(2);
        ring.Take(cqes).ShouldBe(0);
        ring.InFlight.ShouldBe(0u);
    }

    [SkippableFact]
    public unsafe void Overflown_queue_loses_nothing()
    {
        const ulong total = 300;
        using Ring ring = CreateRing(entries: 8, cqEntries: 8);
        ring.CqEntries.ShouldBe(8u);
        List<ulong> seen = [];
        IoUringCqe[] cqes = new IoUringCqe[5];
        for (ulong i = 0; i < total; i++)
        {
            Prep.Nop(Take(ring), i);
            int result = ring.Submit();

            // Older kernels take no more entries while completions wait outside the queue.
            while (result == -Errno.EBUSY)
            {
                TakeAll(ring, cqes, seen);
                result = ring.Submit();
            }

            result.ShouldBe(1);
        }

        ring.InFlight.ShouldBe((uint)(total - (ulong)seen.Count));
        TakeAll(ring, cqes, seen);

        seen.ShouldBe(Enumerable.Range(0, (int)total).Select(i => (ulong)i));
        ring.InFlight.ShouldBe(0u);
    }

    /// <summary>The kernel tells of a completion that it had no memory for by a count alone, which this test raises in its place.</summary>
    [SkippableFact]
    public unsafe void What_the_kernel_has_lost_is_not_in_flight_any_more()
    {
        using Ring ring = CreateRing();
        for (ulong i = 0; i < 3; i++)
        {
            Prep.Nop(Take(ring), i);
        }

        ring.SubmitAndWait(3).ShouldBe(3);
        ring.Take(new IoUringCqe[2]).ShouldBe(2);
        ring.InFlight.ShouldBe(1u);
        const BindingFlags hidden = BindingFlags.NonPublic | BindingFlags.Instance;
        object queue = typeof(Ring).GetField("_cq", hidden)!.GetValue(ring)!;
        uint* lost = (uint*)Pointer.Unbox(queue.GetType().GetField("_overflow", hidden)!.GetValue(queue)!);
        (*lost)++;
        ring.InFlight.ShouldBe(0u);
    }

    [SkippableFact]
    public unsafe void Wait_for_more_than_the_queue_holds_returns_when_it_is_full()
    {
        using Ring ring = CreateRing(entries: 4, cqEntries: 4);
        for (ulong i = 0; i < 4; i++)
        {
            Prep.Nop(Take(ring), i);
        }

        ring.SubmitAndWait(100).ShouldBe(4);
        ring.CqReady.ShouldBe(4u);
    }

    [SkippableFact]
    public unsafe void Overflow_is_reaped_by_the_ring_that_closes()
    {
        List<ulong> seen = [];
        using Ring ring = CreateRing(entries: 8, cqEntries: 8);
        for (ulong i = 0; i < 100; i++)
        {
            Prep.Nop(Take(ring), i);
            ring.Submit();
        }

        ring.Drain(cqe => seen.Add(cqe.UserData));

        seen.Count.ShouldBe(100);
        seen.Distinct().Count().ShouldBe(100);
    }

    private static void TakeAll(Ring ring, IoUringCqe[] cqes, List<ulong> seen)
    {
        int count;
        while ((count = ring.Take(cqes)) > 0)
        {
            foreach (IoUringCqe cqe in cqes.AsSpan(0, count))
            {
                cqe.Res.ShouldBe(0);
                seen.Add(cqe.UserData);
            }
        }
    }
}
