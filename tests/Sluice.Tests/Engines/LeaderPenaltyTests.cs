using Sluice.Engines;
using Sluice.Kernel;

namespace Sluice.Tests.Engines;

public sealed class LeaderPenaltyTests
{
    [Fact]
    public void None_is_in_force_at_first()
    {
        LeaderPenalty penalty = default;
        penalty.IsOver(0).ShouldBeTrue();
    }

    [Fact]
    public void The_first_is_short_and_ends()
    {
        LeaderPenalty penalty = default;
        penalty.Begin(5000);
        penalty.IsOver(5000 + Tuning.FirstPenaltyMs - 1).ShouldBeFalse();
        penalty.IsOver(5000 + Tuning.FirstPenaltyMs).ShouldBeTrue();
    }

    [Fact]
    public void Each_that_follows_soon_is_twice_as_long_up_to_the_most()
    {
        LeaderPenalty penalty = default;
        long now = 5000;
        for (long expected = Tuning.FirstPenaltyMs; expected < 20 * Tuning.LongestPenaltyMs; expected *= 2)
        {
            penalty.Begin(now);
            long length = Math.Min(expected, Tuning.LongestPenaltyMs);
            penalty.IsOver(now + length - 1).ShouldBeFalse();
            penalty.IsOver(now + length).ShouldBeTrue();
            now += length + Tuning.PenaltyForgivenAfterMs;
        }
    }

    [Fact]
    public void One_after_a_while_without_is_short_again()
    {
        LeaderPenalty penalty = default;
        penalty.Begin(5000);
        penalty.Begin(5000 + Tuning.FirstPenaltyMs);
        long later = 5000 + (3 * Tuning.FirstPenaltyMs) + Tuning.PenaltyForgivenAfterMs + 1;
        penalty.Begin(later);
        penalty.IsOver(later + Tuning.FirstPenaltyMs).ShouldBeTrue();
    }
}
