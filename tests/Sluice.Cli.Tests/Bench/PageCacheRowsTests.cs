using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

/// <summary>Rows that fill the page cache: which they are, and that both sides meet the same machine.</summary>
public sealed class PageCacheRowsTests : IDisposable
{
    private static readonly string[] WordsOfFilling =
    [
        "append", "writ", "copy", "cold", "gather", "grown", "preallocated", "buffered", "shared", "log-", "seq-read-", "remote-files",
    ];

    private readonly TempFolder _folder = new();
    private readonly List<string> _events = [];

    public void Dispose() => _folder.Dispose();

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Each_measured_turn_comes_right_after_an_unmeasured_one_of_its_side(bool forSlice)
    {
        Row row = Made() with { FillsForSlice = forSlice };
        await RunAsync(row, () => 100);
        string[] there =
            ["prepare Sluice", "Sluice", "prepare Sluice", "cost", "Sluice", "prepare .NET", ".NET", "prepare .NET", "cost", ".NET"];
        string[] back = [.. there[5..], .. there[..5]];
        // Before the rounds each side has its warming up; after them, where operations are single, a turn for their latency.
        string[] rounds = [.. _events.Skip(4).Take(20)];
        rounds.ShouldBe([.. there, .. back]);
    }

    [Fact]
    public async Task Rounds_in_which_the_sides_met_different_machines_are_left_out_and_both_states_are_told()
    {
        var costs = new Queue<double>([100, 1500, 120, 110, 2000, 100, 130, 140, 150, 110, 110, 150, 150, 110]);
        RowReport report = await RunAsync(Made(), () => costs.Count > 0 ? costs.Dequeue() : 100);
        report.DiscardedRounds.ShouldBe(2);
        report.Rounds.ShouldBe(BenchScale.Quick.Rounds);
        report.Sluice.SliceRates.Count.ShouldBe(BenchScale.Quick.Rounds);
        (report.SluicePageNs, report.DotNetPageNs).ShouldBe((150, 110));
        report.Sluice.PageNs.ShouldBe([110, 140, 150, 150, 150]);
        report.Sluice.DiscardedPageNs.ShouldBe([100, 2000]);
        report.DotNet.DiscardedPageNs.ShouldBe([1500, 100]);

        var bench = new BenchReport
        {
            Started = DateTimeOffset.UnixEpoch,
            Arguments = [],
            Environment = Sluice.Cli.Report.EnvironmentProbe.ForPath(_folder.FullPath),
            Fio = "",
            Quick = true,
            Seconds = 1,
            Interrupted = false,
            Rows = [report],
            Skipped = [],
        };
        PageTable told = BenchPage.Of(bench).Sections[0].Tables[0];
        told.Rows[0].Cells.Select(c => c.Text).TakeLast(3).ShouldBe(["150", "110", "2"]);

        // A run that an error has ended does not look whole.
        BenchPage.Of(bench).Notes.ShouldNotContain(n => n.Contains("ended by"));
        BenchPage.Of(bench with { Failure = "/disk/a: no space left on device" }).Notes.ShouldContain(
            "ended by an error: only these rows were measured (/disk/a: no space left on device)");
    }

    [Fact]
    public async Task A_row_without_a_pair_that_was_alike_is_skipped_and_says_what_the_sides_met()
    {
        RowSkippedException skipped = await Should.ThrowAsync<RowSkippedException>(
            () => RunAsync(Made(), () => _events[^2] == "prepare Sluice" ? 100 : 5000));
        skipped.Message.ShouldBe("the cost of touching a page differed between the sides in 5 rounds: 100 ns before Sluice's turns, "
            + "5,000 ns before .NET's turns");
    }

    private async Task<RowReport> RunAsync(Row row, Func<double> cost)
    {
        var context = new BenchContext(_folder.FullPath, BenchScale.Quick, CancellationToken.None);
        FioRunner fio = FioRunner.Detect();
        var runner = new RowRunner(context, fio, CancellationToken.None, () =>
        {
            _events.Add("cost");
            return cost();
        });
        return await runner.RunAsync(Suite.All[0], row);
    }

    private Row Made() => new("made", "made", "", _ => new Contest(Side("Sluice"), Side(".NET"))) { FillsPageCache = true };

    private Contender Side(string name) => new(name, slice =>
    {
        _events.Add(name);
        slice.Count(0);
        return Task.CompletedTask;
    })
    {
        Prepare = () => _events.Add($"prepare {name}"),
    };
}
