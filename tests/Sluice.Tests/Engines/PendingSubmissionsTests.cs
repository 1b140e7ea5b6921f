using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Tests.Engines.Interleavings;
using Xunit.Abstractions;

namespace Sluice.Tests.Engines;

/// <summary>
/// What threads leave for whoever has a ring's submission lock reaches the kernel once, in every order of their steps up to a bounded
/// number of lost turns, and in random ones.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class PendingSubmissionsTests(ITestOutputHelper output)
{
    private const int RandomOrders = 1_000;

    [Theory]
    [InlineData(2, 1, 8)]
    [InlineData(2, 3, 4)]
    [InlineData(3, 1, 4)]
    [InlineData(3, 2, 3)]
    [InlineData(4, 2, 2)]
    public void All_that_is_submitted_reaches_the_kernel_in_every_order(int threads, int each, int maxLost)
    {
        Explorer.Exhaust(() => new PendingWorld(threads, each), maxLost, out int runs).ShouldBeNull();
        output.WriteLine($"{maxLost} turns lost at most: {runs} orders, which are all");
    }

    [Theory]
    [InlineData(2, 4)]
    [InlineData(3, 20)]
    [InlineData(6, 6)]
    public void All_that_is_submitted_reaches_the_kernel_in_random_orders(int threads, int each) =>
        Explorer.Roam(() => new PendingWorld(threads, each), RandomOrders).ShouldBeNull();

    [Fact]
    public void One_who_adds_and_does_not_try_again_is_found() => Finds(StageDefect.TriesOnce);

    [Fact]
    public void One_who_gives_the_lock_back_and_does_not_look_again_is_found() => Finds(StageDefect.LooksNever);

    [Fact]
    public void What_was_left_comes_back_in_order_and_others_wait_when_it_never_ends()
    {
        PendingSubmissions stage = new();
        stage.TakeAll().ShouldBeNull();
        for (int round = 0; round < Tuning.MaxPendingRounds; round++)
        {
            stage.IsClosed.ShouldBeFalse();
            IoOperation first = new();
            IoOperation second = new();
            stage.Add(first);
            stage.Add(second);
            stage.IsEmpty.ShouldBeFalse();
            stage.TakeAll().ShouldBe(first);
            first.Next.ShouldBe(second);
            second.Next.ShouldBeNull();
            stage.IsEmpty.ShouldBeTrue();
        }

        stage.IsClosed.ShouldBeTrue();
        stage.TakeAll().ShouldBeNull();
        stage.IsClosed.ShouldBeFalse();
    }

    private void Finds(StageDefect defect)
    {
        string? failure = Explorer.Exhaust(() => new PendingWorld(2, 1, defect), 2, out int runs);
        output.WriteLine($"{runs} orders: {failure}");
        failure.ShouldNotBeNull().ShouldContain("something left True");
    }
}
