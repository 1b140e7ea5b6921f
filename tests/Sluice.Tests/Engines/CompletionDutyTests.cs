using Sluice.Engines;
using Sluice.Tests.Engines.Interleavings;
using Xunit.Abstractions;

namespace Sluice.Tests.Engines;

/// <summary>
/// The contract of <see cref="CompletionDuty"/>, in every order of its threads' steps up to a bounded number of lost turns.
/// </summary>
public sealed class CompletionDutyTests(ITestOutputHelper output)
{
    private const int MostOrders = 60_000;
    private const int RandomOrders = 20_000;

    public static TheoryData<string> Scenarios => [.. All.Keys];

    private static Dictionary<string, (DutyOperation[] Operations, int[] Submitted)> All { get; } = new(StringComparer.Ordinal)
    {
        ["two, unrelated"] = ([new(), new()], [0, 1]),
        ["one waits for another"] = ([new(WaitsFor: 1), new()], [0, 1]),
        ["one leads, and two that follow wait for one another"] =
            ([new(Submits: 1), new(WaitsFor: 2), new()], [0, 2]),
        ["a continuation blocks on what it has submitted"] = ([new(Submits: 1), new(Submits: 2), new()], [0]),
        ["long ones"] = ([new(Ticks: 500), new(WaitsFor: 2, Ticks: 500), new(Ticks: 500)], [0, 1, 2]),
        ["a chain"] = ([new(WaitsFor: 1), new(WaitsFor: 2), new(WaitsFor: 3), new()], [0, 1, 2, 3]),
    };

    [Theory]
    [MemberData(nameof(Scenarios))]
    public void All_that_completes_runs_in_every_order(string scenario)
    {
        for (int lost = 0; lost <= 2; lost++)
        {
            Func<DutyWorld> create = () => Create(scenario, new CompletionDuty(DutyWorld.LongTicks));
            Explorer.Exhaust(create, lost, MostOrders, out int runs).ShouldBeNull();
            output.WriteLine($"{lost} turns lost at most: {runs} orders");
        }
    }

    [Theory]
    [MemberData(nameof(Scenarios))]
    public void All_that_completes_runs_in_random_orders(string scenario) =>
        Explorer.Roam(() => Create(scenario, new CompletionDuty(DutyWorld.LongTicks)), RandomOrders).ShouldBeNull();

    [Fact]
    public void A_helper_that_was_not_asked_for_by_one_who_lost_the_role_is_missed()
    {
        // The defect of an earlier engine, put back: the explorer finds it.
        string? failure = null;
        foreach (string scenario in All.Keys)
        {
            string? found = Explorer.Exhaust(() => Create(scenario, new ForgetfulDuty()), 2, MostOrders, out int runs);
            output.WriteLine($"{scenario}: {runs} orders, {found ?? "nothing found"}");
            failure ??= found;
        }

        failure.ShouldNotBeNull();
        failure.ShouldContain("waits for ever");
    }

    [Fact]
    public void Long_continuations_are_calls_and_nobody_leads_until_short_ones_are_many()
    {
        CompletionDuty duty = new(DutyWorld.LongTicks);
        DutyTurn turn = new();
        duty.Enter();
        duty.PrefersCalls(nowMs: 0).ShouldBeFalse();
        duty.Measure(10 * DutyWorld.LongTicks);
        duty.Measure(10 * DutyWorld.LongTicks);
        duty.PrefersCalls(nowMs: 0).ShouldBeTrue();
        duty.Begin(turn).ShouldBe(DutyStep.Pick);
        duty.Considered(turn, isPoolWanted: false, nowMs: 0).ShouldBe(DutyStep.Leave);
    }

    [Fact]
    public void Who_runs_a_long_continuation_asks_for_help_before_it_and_leaves_the_next_to_the_pool()
    {
        CompletionDuty duty = new(DutyWorld.LongTicks);
        DutyTurn turn = new();
        duty.Begin(turn).ShouldBe(DutyStep.Pick);
        duty.Picked(turn, got: true, more: true).ShouldBe(DutyStep.AskHelp);
        CompletionDuty.HelpAsked(turn).ShouldBe(DutyStep.Run);
        duty.Ran(turn, 1000 * DutyWorld.LongTicks, more: true, isPoolWanted: false).ShouldBe(DutyStep.Pick);
        duty.Ran(turn, 1000 * DutyWorld.LongTicks, more: true, isPoolWanted: false).ShouldBe(DutyStep.Leave);
        duty.Asked.ShouldBe(1);
    }

    [Fact]
    public void Others_work_in_the_pool_comes_before_the_next_continuation()
    {
        CompletionDuty duty = new(DutyWorld.LongTicks);
        DutyTurn turn = new();
        duty.Begin(turn).ShouldBe(DutyStep.Pick);
        duty.Picked(turn, got: true, more: false).ShouldBe(DutyStep.Run);
        duty.Ran(turn, 1, more: true, isPoolWanted: true).ShouldBe(DutyStep.AskHelp);
        CompletionDuty.HelpAsked(turn).ShouldBe(DutyStep.Leave);
    }

    private static DutyWorld Create(string scenario, CompletionDuty duty)
    {
        (DutyOperation[] operations, int[] submitted) = All[scenario];
        return new DutyWorld(duty, operations, operations.Length + 1, submitted);
    }

    /// <summary>A leader takes itself for one as long as its turn lasts.</summary>
    private sealed class ForgetfulDuty() : CompletionDuty(DutyWorld.LongTicks)
    {
        protected override bool NeedsHelp(DutyTurn turn) => turn.Role == CompletionThread || AreContinuationsLong;
    }
}
