using System.Diagnostics;
using Sluice.Engines;

namespace Sluice.Tests.Engines;

public sealed class WritePaceTests
{
    /// <summary>When a write began that is quick however late its end is booked.</summary>
    private static long Later => Stopwatch.GetTimestamp() + (3600 * Stopwatch.Frequency);

    [Fact]
    public void Writes_run_inline_until_one_was_slow_and_again_after_a_quick_one()
    {
        WritePace pace = new();
        pace.AllowsInline.ShouldBeTrue();
        pace.Record(Stopwatch.GetTimestamp() - Stopwatch.Frequency, 4096);
        pace.AllowsInline.ShouldBeFalse();
        pace.Record(Later, 4096);
        pace.AllowsInline.ShouldBeTrue();
    }

    [Fact]
    public void A_long_write_may_take_longer()
    {
        WritePace pace = new();
        long began = Stopwatch.GetTimestamp() - Stopwatch.Frequency;
        pace.Record(began, int.MaxValue);

        // Two gigabytes may take four seconds; if this thread was stopped for longer, nothing was asked.
        bool isInTime = Stopwatch.GetTimestamp() - began < 4 * Stopwatch.Frequency;
        (pace.AllowsInline || !isInTime).ShouldBeTrue();
    }

    [Fact]
    public void The_coarse_clock_sees_a_stall_between_precise_timings()
    {
        WritePace pace = new();
        long begin = pace.Begin();
        begin.ShouldBeLessThan(0, "the first write is not one of those timed precisely");
        pace.End(begin + 1000, 4096);
        pace.AllowsInline.ShouldBeFalse();
    }

    [Fact]
    public void One_write_in_eight_is_timed_precisely_and_ends_slowness()
    {
        WritePace pace = new();
        pace.Record(Stopwatch.GetTimestamp() - Stopwatch.Frequency, 4096);
        long begin = 0;
        for (int i = 0; i < 8; i++)
        {
            begin = pace.Begin();
        }

        begin.ShouldBeGreaterThan(0);
        pace.End(Later, 4096);
        pace.AllowsInline.ShouldBeTrue();
    }
}
