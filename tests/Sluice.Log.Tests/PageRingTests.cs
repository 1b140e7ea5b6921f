using Sluice.Log.Stages;

namespace Sluice.Log.Tests;

/// <summary>What a ring says to threads that come while another one has it frozen: none of them waits inside of it.</summary>
public sealed class PageRingTests
{
    [Fact]
    public void A_frozen_ring_answers_others_and_says_when_it_is_thawed()
    {
        PageRing ring = new([new LogPage(4096), new LogPage(4096)], 32, 7);
        ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        ring.Active.EndCopy(10, 1);
        ring.TryFreeze(60_000).ShouldBeTrue();
        TurnResult turned = default;
        long next = 0;
        Task? thawing = null;
        Thread other = new(() =>
        {
            turned = ring.Turn(ring.Active, out _);
            next = ring.NextSequence;
            thawing = ring.Thawing;
        });
        other.Start();
        other.JoinInTime();
        (turned, next).ShouldBe((TurnResult.Thawing, 8));
        thawing.ShouldNotBeNull().IsCompleted.ShouldBeFalse();
        ring.Turn(ring.Active, out _).ShouldBe(TurnResult.Thawing);
        ring.Thaw(7);
        thawing.IsCompletedSuccessfully.ShouldBeTrue();
        ring.Thawing.IsCompleted.ShouldBeTrue();
        ring.NextSequenceIn(out int epoch).ShouldBe(7);
        epoch.ShouldBe(0);
    }

    /// <summary>Whoever closes the log waits for who drops its tail.</summary>
    [Fact]
    public void A_frozen_ring_is_closed_when_it_is_thawed()
    {
        PageRing ring = new([new LogPage(4096), new LogPage(4096)], 32, 1);
        ring.TryFreeze(60_000).ShouldBeTrue();
        Thread closing = new(ring.Close);
        closing.Start();
        ring.Turn(ring.Active, out _).ShouldBe(TurnResult.Thawing);
        ring.Thaw(1);
        closing.JoinInTime();
        ring.Turn(ring.Active, out _).ShouldBe(TurnResult.Closed);
        ring.TryFreeze(60_000).ShouldBeFalse();
        ring.Thawing.IsCompleted.ShouldBeTrue();
    }
}
