using Sluice.Engines;

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
        penalty.IsOver(5000 + LeaderPenalty.FirstMs - 1).ShouldBeFalse();
        penalty.IsOver(5000 + LeaderPenalty.FirstMs).ShouldBeTrue();
    }

    [Fact]
    public void Each_that_follows_soon_is_twice_as_long_up_to_the_most()
    {
        LeaderPenalty penalty = default;
        long now = 5000;
        for (long expected = LeaderPenalty.FirstMs; expected < 20 * LeaderPenalty.MostMs; expected *= 2)
        {
            penalty.Begin(now);
            long length = Math.Min(expected, LeaderPenalty.MostMs);
            penalty.IsOver(now + length - 1).ShouldBeFalse();
            penalty.IsOver(now + length).ShouldBeTrue();
            now += length + LeaderPenalty.ForgivenAfterMs;
        }
    }

    [Fact]
    public void One_after_a_while_without_is_short_again()
    {
        LeaderPenalty penalty = default;
        penalty.Begin(5000);
        penalty.Begin(5000 + LeaderPenalty.FirstMs);
        long later = 5000 + (3 * LeaderPenalty.FirstMs) + LeaderPenalty.ForgivenAfterMs + 1;
        penalty.Begin(later);
        penalty.IsOver(later + LeaderPenalty.FirstMs).ShouldBeTrue();
    }
}
