using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Load;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

/// <summary>When `speed` says that a side did not keep up with the rate that was asked for.</summary>
public sealed class SpeedRateNoteTests
{
    [Theory]
    [InlineData(320, 0, 0, 0.3, false, false)]
    [InlineData(320, 2, 0, 0.04, false, false)]
    [InlineData(320, 100, 0, 0.04, false, true)]
    [InlineData(200, 0, 120, 1, false, true)]
    [InlineData(310, 0, 10, 0, false, true)]
    [InlineData(318, 0, 0, 0, false, false)]
    [InlineData(100, 220, 0, 0, true, true)]
    [InlineData(319, 1, 0, 0.1, true, false)]
    public void A_side_is_behind_where_much_of_what_was_due_was_begun_after_its_time_or_never(
        int done, int begunLate, int neverBegun, double longerSeconds, bool isInterrupted, bool isBehind)
    {
        var measured = new Measurement { Elapsed = TimeSpan.FromSeconds(1 + longerSeconds) };
        measured.CountLate(begunLate);
        for (int i = 0; i < done; i++)
            measured.Count(isWrite: false, 4096, 1_000_000);
        if (neverBegun > 0)
            measured.CountNeverBegun(isWrite: false, neverBegun, 1_000_000, 1_000_000);
        SpeedReport report = SpeedReportBuilder.Build(
            new SpeedOptions("/a") { OperationsPerSecond = 320 }, [], DateTimeOffset.UnixEpoch, 1 << 20, TimeSpan.Zero, [],
            [new MeasuredSide("sluice", "some", FileCaching.Cached, null) { Measured = measured }], null, [], isInterrupted);
        report.Notes.Any(n => n.Contains("did not keep up", StringComparison.Ordinal)).ShouldBe(isBehind);
    }
}
