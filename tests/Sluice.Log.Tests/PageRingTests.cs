using Sluice.Log.Appending;

namespace Sluice.Log.Tests;

/// <summary>A ring that one thread has frozen answers others: none of them waits inside of it.</summary>
public sealed class PageRingTests
{
    [Fact]
    public void A_frozen_ring_goes_on_with_the_number_that_it_is_told()
    {
        PageRing ring = new([new LogPage(4096), new LogPage(4096)], 32, 7);
        ring.TryFreeze().ShouldBeTrue();
        ring.NextSequence.ShouldBe(7);
        ring.Thaw(7);
        ring.NextSequenceIn(out int epoch).ShouldBe(7);
        epoch.ShouldBe(0);
        ring.TryFreeze().ShouldBeTrue();
        ring.Thaw(3);
        ring.NextSequenceIn(out epoch).ShouldBe(3);
        epoch.ShouldBe(1);
        ring.Active.Epoch.ShouldBe(1);
    }

    /// <summary>An append that waits for the oldest page waits for a number of that epoch.</summary>
    [Fact]
    public void A_full_ring_tells_the_epoch_of_the_page_that_is_waited_for()
    {
        PageRing ring = new([new LogPage(4096), new LogPage(4096)], 32, 7);
        ring.TryFreeze().ShouldBeTrue();
        ring.Thaw(3);
        ring.Active.TryTake(10, 1, out _, out _).ShouldBeTrue();
        ring.Turn(ring.Active, out _, out _).ShouldBe(TurnResult.Turned);
        ring.Turn(ring.Active, out long last, out int epoch).ShouldBe(TurnResult.Full);
        (last, epoch).ShouldBe((3, 1));
    }
}
