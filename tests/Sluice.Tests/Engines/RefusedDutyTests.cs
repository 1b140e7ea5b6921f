using Sluice.Engines;
using Sluice.Tests.Engines.Interleavings;
using Xunit.Abstractions;

namespace Sluice.Tests.Engines;

/// <summary>
/// As <see cref="CompletionDutyTests"/>, where the ring has few slots, or the kernel refuses the ring from some step on: everything
/// runs once, on the pool if need be, and a refused ring is closed.
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
    [InlineData("ClosesAtOnce", "refused: two, unrelated")]
    [InlineData("KeepsBacklog", "full: one at a time, each waits for the next")]
    [InlineData("IsIdleOverABacklog", "full: one at a time, each waits for the next")]
    public void What_is_done_wrong_is_found(string defect, string scenario)
    {
        string? failure = Explorer.Roam(() => Create(scenario, Enum.Parse<DutyDefect>(defect)), DefectOrders);
        output.WriteLine(failure ?? "nothing found");
        failure.ShouldNotBeNull();
    }

    private static DutyWorld Create(string scenario, DutyDefect defect = DutyDefect.None)
    {
        (DutyOperation[] operations, int[] submitted, int workers, DutyRing ring, _) = All[scenario];
        return new DutyWorld(new CompletionDuty(DutyWorld.LongTicks), operations, workers, submitted, ring with { Defect = defect });
    }
}
