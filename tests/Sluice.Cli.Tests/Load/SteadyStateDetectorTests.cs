using Shouldly;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class SteadyStateDetectorTests
{
    [Fact]
    public void A_constant_rate_is_steady_from_the_start() =>
        SteadyStateDetector.FirstSteadyWindow([100, 100, 100, 100, 100]).ShouldBe(0);

    [Fact]
    public void Four_windows_are_not_enough() => SteadyStateDetector.FirstSteadyWindow([100, 100, 100, 100]).ShouldBeNull();

    [Fact]
    public void A_burst_at_the_start_is_left_out() =>
        SteadyStateDetector.FirstSteadyWindow([900, 500, 110, 100, 105, 98, 102, 101]).ShouldBe(2);

    [Fact]
    public void A_spread_of_more_than_a_fifth_is_not_steady() =>
        SteadyStateDetector.FirstSteadyWindow([100, 126, 100, 126, 100]).ShouldBeNull();

    [Fact]
    public void A_slow_but_lasting_decline_is_not_steady() =>
        // Spread 16 %, within the limit; the line through them falls by 16 %, which is not.
        SteadyStateDetector.FirstSteadyWindow([108, 104, 100, 96, 92]).ShouldBeNull();

    [Fact]
    public void A_rate_that_triples_is_steady_from_there_on() =>
        SteadyStateDetector.FirstSteadyWindow([100, 100, 100, 100, 100, 100, 300, 301, 299, 300, 300, 300]).ShouldBe(6);

    [Fact]
    public void A_plateau_that_nothing_steady_follows_is_not_steady() =>
        SteadyStateDetector.FirstSteadyWindow([100, 100, 100, 100, 100, 300, 150, 400, 90, 320, 200]).ShouldBeNull();

    [Fact]
    public void A_standstill_is_not_steady() => SteadyStateDetector.FirstSteadyWindow([0, 0, 0, 0, 0]).ShouldBeNull();
}
