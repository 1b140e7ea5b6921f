using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Converts curves to a section: a chart of rates, a chart of CPU time, and the table of their values.</summary>
/// <param name="wanted">The numbers of the figures to show.</param>
/// <param name="clockHz">
/// The clock rate of the processor, to show CPU time in clocks per byte; null if it is unknown, and CPU time is shown in nanoseconds per
/// byte.
/// </param>
internal sealed class FigureSections(FigureScale scale, IReadOnlySet<int> wanted, double? clockHz)
{
    private string CpuUnit => clockHz is null ? "ns/byte" : "clocks/byte";

    /// <param name="leftOut">The reasons why rows are missing.</param>
    public PageSection Make(FigureSet set, IReadOnlyList<(FigureRow Row, RowReport Report)> points, IEnumerable<string> leftOut)
    {
        string missing = string.Join("; ", leftOut);
        if (points.Count == 0)
            return new PageSection { Heading = set.Heading, Text = $"Left out: {missing}." };
        var charts = new List<PageChart>();
        foreach (var operation in points.GroupBy(p => p.Row.Curve.Split(',')[0]))
        {
            if (wanted.Contains(set.RateFigure))
                charts.Add(Chart($"Figure {set.RateFigure}: bandwidth, {operation.Key}", "bandwidth", "MiB/s", [.. operation],
                    r => r.Rate, withBand: true));
            if (set.CpuFigure is { } number && wanted.Contains(number))
                charts.Add(Chart($"Figure {number}: CPU, {operation.Key}", "CPU", CpuUnit, [.. operation], Cpu, withBand: false));
        }
        return new PageSection
        {
            Heading = set.Heading,
            Text = set.Text(scale) + (missing.Length > 0 ? $" Left out: {missing}." : ""),
            Charts = charts,
            Tables = [Table(points)],
        };
    }

    private static PageChart Chart(
        string title, string label, string unit, IReadOnlyList<(FigureRow Row, RowReport Report)> points,
        Func<ContenderReport, double> value, bool withBand)
    {
        bool hasDepths = points.Any(p => p.Row.Depth > 1);
        var series = new List<ChartSeries>();
        foreach (var curve in points.GroupBy(p => (p.Row.Curve, p.Row.Depth)))
        {
            string name = curve.Key.Curve.Contains(',') ? $" {curve.Key.Curve[(curve.Key.Curve.IndexOf(',') + 2)..]}" : "";
            string depth = hasDepths ? $" depth {curve.Key.Depth}" : "";
            double[] x = [.. curve.Select(p => (double)p.Row.RequestBytes)];
            series.Add(Series($".NET{name}{depth}", x, curve.Select(p => p.Report.DotNet)));
            series.Add(Series($"Sluice{name}{depth}", x, curve.Select(p => p.Report.Sluice)));
        }
        return new PageChart
        {
            Title = title,
            Kind = ChartKind.Line,
            X = new ChartAxis("request size", "B", IsLog: true),
            Y = new ChartAxis(label, unit, IsLog: true),
            Series = series,
        };

        ChartSeries Series(string name, double[] x, IEnumerable<ContenderReport> side) => new()
        {
            Name = name,
            X = x,
            Y = [.. side.Select(r => (double?)value(r))],
            Low = withBand ? [.. side.Select(r => (double?)r.Low)] : null,
            High = withBand ? [.. side.Select(r => (double?)r.High)] : null,
        };
    }

    private PageTable Table(IReadOnlyList<(FigureRow Row, RowReport Report)> points)
    {
        bool hasDepths = points.Any(p => p.Row.Depth > 1);
        bool hasExtents = points.Any(p => p.Row.Extents is not null);
        (PageColumn Column, Func<FigureRow, RowReport, PageCell> Of)[] shown =
        [
            (PageColumn.Text("curve"), (row, _) => row.Curve),
            (new("request"), (row, _) => PageCell.Size(row.RequestBytes)),
            .. Where(hasDepths, (new("depth"), (row, _) => row.Depth)),
            (new(".NET", "MiB/s"), (_, r) => r.DotNet.Cell()),
            (new("Sluice", "MiB/s"), (_, r) => r.Sluice.Cell()),
            (new("ratio"), (_, r) => r.Sluice.RatioTo(r.DotNet)),
            (new(".NET", CpuUnit), (_, r) => Cpu(r.DotNet)),
            (new("Sluice", CpuUnit), (_, r) => Cpu(r.Sluice)),
            .. Where(
                hasExtents, (new(".NET", "extents"), (row, r) => row.Extents?[r.DotNet.Name].Average()),
                (new("Sluice", "extents"), (row, r) => row.Extents?[r.Sluice.Name].Average())),
        ];
        return new PageTable
        {
            Columns = [.. shown.Select(s => s.Column)],
            Rows =
            [
                .. points.Select(p => new PageRow([.. shown.Select(s => s.Of(p.Row, p.Report))])
                {
                    Key = $"{p.Row.Curve} {p.Row.RequestBytes} {p.Row.Depth}",
                }),
            ],
        };

        static (PageColumn, Func<FigureRow, RowReport, PageCell>)[] Where(
            bool condition, params (PageColumn, Func<FigureRow, RowReport, PageCell>)[] columns) => condition ? columns : [];
    }

    private double Cpu(ContenderReport side) => side.CpuUsPerOperation * (clockHz is { } hz ? hz / 1e6 : 1000);
}
