using Shouldly;
using Sluice.Cli.Programs.Frag;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Frag;

public sealed class FragPlanTests
{
    private const long MiB = 1 << 20;

    private static readonly FragSettings Small = new()
    {
        MaxFiles = 300,
        MinSizeBytes = 64 << 10,
        MaxSizeBytes = 4 * MiB,
        FilesPerCycle = 80,
        FilesPerDirectory = 7,
        SubdirectoriesPerDirectory = 3,
        KeepPercent = 25,
    };

    [Fact]
    public void The_same_seed_makes_the_same_plan_and_another_seed_another()
    {
        FragStep[] plan = [.. new FragPlan(Small, 50 * MiB).Steps()];
        new FragPlan(Small, 50 * MiB).Steps().ShouldBe(plan);
        new FragPlan(Small with { Seed = 138 }, 50 * MiB).Steps().ShouldNotBe(plan);
    }

    [Theory]
    [InlineData(20)]
    [InlineData(50)]
    [InlineData(5000)]
    public void The_budget_is_never_passed_and_only_living_files_are_deleted(int budgetMiB)
    {
        var alive = new Dictionary<string, long>();
        int made = 0;
        foreach (FragStep step in new FragPlan(Small, budgetMiB * MiB).Steps())
        {
            switch (step.Action)
            {
                case FragAction.Create:
                    step.SizeBytes.ShouldBeInRange(Small.MinSizeBytes, Small.MaxSizeBytes);
                    alive.Add(step.Name, step.SizeBytes);
                    made++;
                    break;
                case FragAction.Delete:
                    alive.Remove(step.Name).ShouldBeTrue();
                    break;
            }
            (alive.Values.Sum() + (alive.Count * FragPlan.OverheadBytes)).ShouldBeLessThanOrEqualTo(budgetMiB * MiB);
        }
        made.ShouldBe(Small.MaxFiles);
    }

    [Fact]
    public void A_cycle_keeps_the_share_it_is_told()
    {
        FragStep[] plan = [.. new FragPlan(Small with { Cycles = 1 }, 5000 * MiB).Steps()];
        plan.Count(s => s.Action == FragAction.Create).ShouldBe(80);
        plan.Count(s => s.Action == FragAction.Delete).ShouldBe(60);
        plan[^1].Action.ShouldBe(FragAction.EndCycle);
    }

    [Fact]
    public void Directories_hold_as_many_files_and_directories_as_told()
    {
        IEnumerable<FragStep> plan = new FragPlan(Small with { KeepPercent = 99 }, 5000 * MiB).Steps();
        string[] names = [.. plan.Where(s => s.Action == FragAction.Create).Select(s => s.Name)];
        names.Distinct().Count().ShouldBe(names.Length);
        names.GroupBy(n => Path.GetDirectoryName(n)).Max(g => g.Count()).ShouldBe(7);
        string[] directories = [.. names.Select(n => Path.GetDirectoryName(n)!).Distinct()];
        directories.GroupBy(d => Path.GetDirectoryName(d)).Max(g => g.Count()).ShouldBe(3);
    }
}
