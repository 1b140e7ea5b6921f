using Sluice.Log.Appending;

namespace Sluice.Log.Tests;

/// <summary>A page that is turned to while nobody is to get a place.</summary>
public sealed class LogPageTests
{
    [Fact]
    public void A_page_that_is_opened_sealed_gives_no_place_until_it_is_opened_anew()
    {
        LogPage page = new(4096);
        page.Open(1, 32);
        page.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        page.EndCopy(10, 1);
        page.TrySeal().ShouldBeTrue();
        page.Open(7, 32, epoch: 1, isSealed: true);
        page.TryTake(10, 1, out _, out _).ShouldBeFalse();
        page.TrySeal().ShouldBeFalse();
        (page.Count, page.End, page.TakenCount, page.Taken, page.IsFilled).ShouldBe((0, 32, 0, 32, true));
        page.Open(8, 32, epoch: 1);
        page.TryTake(10, 1, out offset, out sequence).ShouldBeTrue();
        (offset, sequence).ShouldBe((32, 8L));
    }
}
