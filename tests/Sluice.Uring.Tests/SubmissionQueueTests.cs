using Shouldly;
using Sluice.Uring.Abi;
using Sluice.Uring.Tests.Support;
using Xunit;

namespace Sluice.Uring.Tests;

public sealed unsafe class SubmissionQueueTests : RingTest
{
    [SkippableFact]
    public void Full_queue_gives_null_until_the_kernel_has_consumed()
    {
        using Ring ring = CreateRing(entries: 4);
        for (uint i = 0; i < ring.SqEntries; i++)
        {
            Prep.Nop(Take(ring), i);
        }

        (ring.TryTake() is null).ShouldBeTrue();
        ring.Pending.ShouldBe(4u);
        ring.Submit().ShouldBe(4);
        ring.Pending.ShouldBe(0u);
        Prep.Nop(Take(ring), 4);

        Complete(ring, 5).ConvertAll(cqe => cqe.UserData).ShouldBe([0ul, 1ul, 2ul, 3ul, 4ul]);
    }

    [SkippableFact]
    public void An_entry_that_was_taken_back_never_reaches_the_kernel()
    {
        using Ring ring = CreateRing(entries: 4);
        Prep.Nop(Take(ring), 1);
        Prep.Nop(Take(ring), 2);
        ring.Publish().ShouldBe(2u);
        ring.TryTakeBackUnused(out ulong last).ShouldBeTrue();
        last.ShouldBe(2ul);
        ring.EnterPublished(2, 1, 1000).ShouldBe(1);
        Complete(ring, 1).ConvertAll(cqe => cqe.UserData).ShouldBe([1ul]);
        ring.InFlight.ShouldBe(0u);
    }

    [SkippableFact]
    public void Only_the_entry_that_is_meant_is_taken_back()
    {
        using Ring ring = CreateRing(entries: 4);
        Prep.Nop(Take(ring), 1);
        Prep.Nop(Take(ring), 2);
        ring.TryTakeBack(1).ShouldBeFalse();
        ring.TryTakeBack(2).ShouldBeTrue();
        ring.Pending.ShouldBe(1u);
        ring.Publish().ShouldBe(1u);
        ring.TryTakeBack(1).ShouldBeFalse();
        ring.EnterPublished(1, 1, 1000).ShouldBe(1);
        Complete(ring, 1).ConvertAll(cqe => cqe.UserData).ShouldBe([1ul]);
    }

    [SkippableFact]
    public void Entries_keep_their_contents_over_many_laps_of_every_phase()
    {
        using TempFile file = new(4096);
        using NativeBuffer buffer = new(4096);
        using Ring ring = CreateRing(entries: 4);
        ulong next = 0;
        Random random = new(12345);
        while (next < 10_000)
        {
            int count = random.Next(1, (int)ring.SqEntries + 1);
            Dictionary<ulong, int> expected = [];
            for (int i = 0; i < count; i++)
            {
                int length = random.Next(1, 900);
                Prep.Read(Take(ring), file.Descriptor, buffer.Pointer + i * 1000, (uint)length, random.Next(1000), RwFlags.None, next);
                expected.Add(next++, length);
            }

            Complete(ring, count).ToDictionary(cqe => cqe.UserData, cqe => cqe.Res).ShouldBe(expected, ignoreOrder: true);
        }
    }

    [SkippableFact]
    public void Entry_taken_again_carries_nothing_of_its_last_use()
    {
        using Ring ring = CreateRing(entries: 1);
        IoUringSqe* first = Take(ring);
        *first = new IoUringSqe
        {
            Opcode = Opcode.Nop,
            Fd = -1,
            UserData = ulong.MaxValue >> 1,
            Flags = SqeFlags.Async,
        };
        CompleteOne(ring).ShouldBe(0);

        IoUringSqe* second = Take(ring);

        (first == second).ShouldBeTrue();
        new ReadOnlySpan<byte>(second, sizeof(IoUringSqe)).IndexOfAnyExcept((byte)0).ShouldBe(-1);
        Prep.Nop(second, 1);
    }

    [SkippableFact]
    public void Entries_are_rounded_up_to_a_power_of_two_and_clamped_to_what_the_kernel_allows()
    {
        using Ring small = CreateRing(entries: 5);
        using Ring huge = CreateRing(entries: 10_000_000);

        small.SqEntries.ShouldBe(8u);
        small.CqEntries.ShouldBe(16u);
        huge.SqEntries.ShouldBe(32768u);
    }
}
