using Sluice.Testing;

namespace Sluice.Tests.Engines;

public sealed class FaultPlanTests
{
    [Fact]
    public void The_same_seed_makes_the_same_choices_in_any_order()
    {
        FaultPlan first = Mixed(7);
        FaultPlan second = Mixed(7);
        (FaultKind, double)[] forward = [.. Enumerable.Range(0, 500).Select(i => (first.Choose(i, true, out double f), f))];
        (FaultKind, double)[] backward =
            [.. Enumerable.Range(0, 500).Reverse().Select(i => (second.Choose(i, true, out double f), f)).Reverse()];
        backward.ShouldBe(forward);
        forward.Select(f => f.Item1).Distinct().Count().ShouldBe(8);
    }

    [Fact]
    public void The_same_seed_makes_the_same_choices_in_every_process()
    {
        FaultPlan plan = new(42) { ShortTransfer = 0.3, Eintr = 0.2, Reorder = 0.2 };
        string choices = string.Concat(Enumerable.Range(0, 40).Select(i => plan.Choose(i, true, out _) switch
        {
            FaultKind.None => '-',
            var kind => $"{kind}"[0],
        }));
        choices.ShouldBe("IRSSSIS--R--RIRS-SS-R--R-SI---SS-SS-R-RS");
    }

    [Fact]
    public void No_probability_is_no_fault_and_certainty_is_always_one()
    {
        FaultPlan none = new(1);
        FaultPlan always = new(1) { Eio = 1 };
        for (int i = 0; i < 200; i++)
        {
            none.Choose(i, true, out _).ShouldBe(FaultKind.None);
            always.Choose(i, false, out double fraction).ShouldBe(FaultKind.DeviceError);
            fraction.ShouldBeInRange(0, 1);
        }
    }

    [Fact]
    public void Reads_meet_no_full_disk()
    {
        FaultPlan plan = new(3) { Enospc = 1 };
        plan.Choose(0, isWrite: false, out _).ShouldBe(FaultKind.None);
        plan.Choose(0, isWrite: true, out _).ShouldBe(FaultKind.DiskFull);
    }

    [Fact]
    public void A_planned_fault_comes_at_its_submission_only()
    {
        FaultPlan plan = new FaultPlan(3).FailAt(5, FaultKind.DeviceError);
        Enumerable.Range(0, 10).Where(i => plan.Choose(i, true, out _) != FaultKind.None).ShouldBe([5]);
    }

    private static FaultPlan Mixed(int seed) => new(seed)
    {
        ShortTransfer = 0.1,
        Eintr = 0.1,
        Eagain = 0.1,
        Eio = 0.1,
        Enospc = 0.1,
        Delay = 0.1,
        Reorder = 0.1,
    };
}
