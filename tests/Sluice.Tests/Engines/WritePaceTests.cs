using System.Diagnostics;

namespace Sluice.Tests.Engines;

public sealed class WritePaceTests
{
    [Fact]
    public void Writes_run_inline_until_one_was_slow_and_again_after_a_quick_one()
    {
        WritePace pace = new();
        pace.AllowsInline.ShouldBeTrue();
        pace.Record(Stopwatch.GetTimestamp() - Stopwatch.Frequency, 4096);
        pace.AllowsInline.ShouldBeFalse();
        pace.Record(Stopwatch.GetTimestamp(), 4096);
        pace.AllowsInline.ShouldBeTrue();
    }

    [Fact]
    public void A_long_write_may_take_longer()
    {
        WritePace pace = new();
        pace.Record(Stopwatch.GetTimestamp() - Stopwatch.Frequency, int.MaxValue);
        pace.AllowsInline.ShouldBeTrue();
    }
}
