using Sluice.Engines;
using Sluice.Tests.Engines.Interleavings;
using Xunit.Abstractions;

namespace Sluice.Tests.Engines;

/// <summary>
/// As <see cref="CompletionDutyTests"/>, where the ring has room for few, the kernel has no memory for a while, or lets nobody enter any
/// more or takes nothing from some step on: everything runs once, on the pool if need be, and a refused ring is closed.
/// </summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class RefusedDutyTests(ITestOutputHelper output)
{
    private const int RandomOrders = 1_000;

    /// <summary>Enough to find each planted defect.</summary>
    private const int DefectOrders = 20_000;

    public static TheoryData<string> Scenarios => [.. All.Keys];

    /// <summary>What is submitted, how many threads the pool has, the ring, and up to how many lost turns every order is run.</summary>
    private static Dictionary<string, (DutyOperation[] Operations, int[] Submitted, int Workers, DutyRing Ring, int MaxLost)> All { get; } =
        new(StringComparer.Ordinal)
        {
            ["refused: two, unrelated"] = ([new(), new()], [0, 1], 2, new(MayRefuse: true), 0),
            ["refused: one submits two"] = ([new(Submits: [1, 2]), new(WaitsFor: 2), new()], [0], 2, new(MayRefuse: true), 1),
            ["refused: long ones that submit"] =
                ([new(Submits: [1], Ticks: 500), new(Submits: [2], Ticks: 500), new()], [0], 2, new(MayRefuse: true), 0),
            ["refused: what submits beside a leader"] = ([new(Submits: [1]), new(), new(WaitsFor: 1)], [0, 2], 2, new(MayRefuse: true), 0),
            ["full: one at a time, each waits for the next"] =
                ([new(WaitsFor: 1), new(WaitsFor: 2), new()], [0, 1, 2], 3, new(Slots: 1), 0),
            ["full: one submits three"] = ([new(Submits: [1, 2, 3]), new(WaitsFor: 3), new(), new()], [0], 2, new(Slots: 2), 1),
            ["full: one entry, two slots"] = ([new(Submits: [1, 2]), new(WaitsFor: 2), new()], [0], 2, new(Entries: 1, Slots: 2), 1),
            ["full and refused"] = ([new(), new(), new()], [0, 1, 2], 2, new(Slots: 1, MayRefuse: true), 0),
            ["full and refused beside a leader"] =
                ([new(Submits: [1, 2, 3]), new(), new(), new()], [0], 2, new(Entries: 2, Slots: 2, MayRefuse: true), 0),
            ["starved: two, unrelated"] = ([new(), new()], [0, 1], 2, new(MayStarve: true), 0),
            ["starved: one entry"] = ([new(Submits: [1, 2]), new(WaitsFor: 2), new()], [0], 2, new(Entries: 1, MayStarve: true), 1),
            ["starved: what completes behind what finds no room"] =
                ([new(CompletesAfter: 1), new()], [0, 1], 2, new(Entries: 1, MayStarve: true), 1),
            ["starved for good: two, unrelated"] =
                ([new(), new()], [0, 1], 2, new(MayStarve: true, StarvesOn: true, MaxStarvedLooks: 2), 1),
            ["starved for good: what submits beside a leader"] =
                ([new(Submits: [1]), new(), new(WaitsFor: 1)], [0, 2], 2, new(MayStarve: true, StarvesOn: true, MaxStarvedLooks: 2), 0),
            ["starved for good and full"] =
                ([new(Submits: [1, 2]), new(WaitsFor: 2), new()], [0], 2,
                    new(Entries: 1, Slots: 2, MayStarve: true, StarvesOn: true, MaxStarvedLooks: 2), 0),
            ["starved, full and refused"] =
                ([new(Submits: [1, 2]), new(), new()], [0], 2, new(Entries: 1, Slots: 2, MayRefuse: true, MayStarve: true), 0),
        };

    [Theory]
    [MemberData(nameof(Scenarios))]
    public void All_that_completes_runs_in_every_order(string scenario)
    {
        for (int lost = 0; lost <= All[scenario].MaxLost; lost++)
        {
            Explorer.Exhaust(() => Create(scenario), lost, out int runs).ShouldBeNull();
            output.WriteLine($"{lost} turns lost at most: {runs} orders, which are all");
        }
    }

    [Theory]
    [MemberData(nameof(Scenarios))]
    public void All_that_completes_runs_in_random_orders(string scenario) =>
        Explorer.Roam(() => Create(scenario), RandomOrders).ShouldBeNull();

    [Theory]
    [InlineData("KeepsBacklogOfARefusedRing", "full and refused")]
    [InlineData("ForgetsWhatWasShown", "refused: what submits beside a leader")]
    [InlineData("WakesNobodyAtARefusal", "refused: two, unrelated")]
    [InlineData("ClosesAtOnce", "starved for good: two, unrelated")]
    [InlineData("KeepsBacklog", "full: one at a time, each waits for the next")]
    [InlineData("IsIdleOverABacklog", "full: one at a time, each waits for the next")]
    [InlineData("StarvesForEver", "starved: two, unrelated")]
    [InlineData("KeepsBacklogOfAStarvedRing", "starved: what completes behind what finds no room")]
    [InlineData("AsksAStarvedKernelForEver", "starved for good: two, unrelated")]
    public void What_is_done_wrong_is_found(string defect, string scenario)
    {
        string? failure = Explorer.Roam(() => Create(scenario, Enum.Parse<DutyDefect>(defect)), DefectOrders);
        output.WriteLine(failure ?? "nothing found");
        failure.ShouldNotBeNull();
    }

    [Fact]
    public void A_leader_that_asks_a_starved_kernel_without_a_pause_is_found()
    {
        string? failure = Explorer.Exhaust(
            () => Create("starved: one entry", DutyDefect.AsksAStarvedKernelAgain), All["starved: one entry"].MaxLost, out int runs);
        output.WriteLine($"{runs} orders, {failure ?? "nothing found"}");
        failure.ShouldNotBeNull().ShouldContain("waits for ever");
    }

    private static DutyWorld Create(string scenario, DutyDefect defect = DutyDefect.None)
    {
        (DutyOperation[] operations, int[] submitted, int workers, DutyRing ring, _) = All[scenario];
        return new DutyWorld(new CompletionDuty(DutyWorld.LongTicks), operations, workers, submitted, ring with { Defect = defect });
    }
}
