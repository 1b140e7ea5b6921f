using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Measures one task after the other, and derives the recommendations.</summary>
internal sealed class Adviser(BenchContext context, AdviseScale scale, double? clockHz, CancellationToken cancellationToken)
{
    private readonly TurnRunner _turns = new(scale.SliceTime, scale.Rounds, cancellationToken);

    public async Task<(Comparison Comparison, RequestGrid? Grid)> MeasureAsync(AdviceTopic topic)
    {
        try
        {
            IReadOnlyList<Approach> approaches = topic.Open(context);
            string? refusal = approaches.Any(a => a.IsDirect) ? DirectIo.Refusal(context.DirectFile) : null;
            if (refusal is not null)
                approaches = [.. approaches.Where(a => !a.IsDirect)];
            if (topic.Writes)
                approaches = [.. approaches.Select(Settled)];
            Settle();
            IReadOnlyList<ContenderReport> readings = await _turns.MeasureAllAsync(approaches, topic.CountsBytes ? 1.0 / ByteSize.MiB : 1);
            RequestGrid? grid = topic.Grid is { } measure && refusal is null ? await measure(context) : null;
            return (new Comparison(topic, approaches, readings, clockHz) { LeftOut = refusal }, grid);
        }
        finally
        {
            context.DeleteScratchFiles();
        }
    }

    // Flushes the whole file system: deleted files may still be written.
    private void Settle() => Settling.FileSystemOf(Path.GetDirectoryName(context.SmallFile(1))!);

    /// <summary>A turn does not pay for what the one before has left to be written.</summary>
    private Approach Settled(Approach approach) => approach with
    {
        Prepare = () =>
        {
            Settle();
            approach.Prepare?.Invoke();
        },
    };

    /// <summary>The answers in a line each.</summary>
    public static PageSection Summary(IReadOnlyList<Comparison> comparisons) => new()
    {
        Heading = "In short",
        Tables =
        [
            new PageTable
            {
                Columns =
                [
                    PageColumn.Text("to"), PageColumn.Text("take"), PageColumn.Text("which gives"), new PageColumn("to .NET's usual way"),
                    new PageColumn("in C#", null, ColumnKind.Code),
                ],
                Rows =
                [
                    .. comparisons.Select(c => new PageRow(
                        c.Topic.Wish, c.Best.Approach.Name, c.Describe(c.Best.Reading),
                        PageCell.Ratio(c.Best.Reading.Rate / c.Baseline.Reading.Rate), c.Best.Approach.Code)),
                ],
            },
        ],
    };

    public static PageSection Section(Comparison comparison, RequestGrid? grid) => new()
    {
        Heading = comparison.Topic.Heading,
        Text = string.Join('\n', comparison.Sentences().Concat(grid?.Sentences() ?? [])) + $"\n    {comparison.Best.Approach.Code}",
        Charts = [Chart(comparison)],
        Tables = grid is null ? [Table(comparison)] : [Table(comparison), grid.ToTable()],
    };

    private static PageChart Chart(Comparison comparison) => PageChart.OfRounds(
        comparison.Topic.Heading, new ChartAxis("way", Categories: [.. comparison.Measured.Select(m => m.Approach.Name)]),
        new ChartAxis("rate", comparison.Topic.Unit),
        [("rate", comparison.Measured.Select(m => (IEnumerable<double>?)m.Reading.SliceRates))]);

    private static PageTable Table(Comparison c) => new()
    {
        Columns =
        [
            PageColumn.Text("way"), new PageColumn("rate", c.Topic.Unit), new PageColumn("from"), new PageColumn("to"),
            new PageColumn("CPU", c.CpuUnit),
            new PageColumn("ratio"), new PageColumn("in C#", null, ColumnKind.Code),
        ],
        Rows =
        [
            .. c.Measured.Select(m => new PageRow(
                m.Approach.Name, m.Reading.Cell(), m.Reading.Low, m.Reading.High, c.CpuOf(m.Reading), m.Reading.RatioTo(c.Baseline.Reading),
                m.Approach.Code)),
        ],
    };
}
