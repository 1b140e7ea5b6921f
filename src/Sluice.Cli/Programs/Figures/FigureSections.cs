using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;

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
    public PageSection Make(FigureSet set, IReadOnlyList<FigurePoint> points, IEnumerable<string> leftOut)
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
        string title, string label, string unit, IReadOnlyList<FigurePoint> points,
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
        return new PageChart(
            title,
            ChartKind.Line,
            new ChartAxis("request size", "B", IsLog: true),
            new ChartAxis(label, unit, IsLog: true),
            series);

        ChartSeries Series(string name, double[] x, IEnumerable<ContenderReport> side) => new()
        {
            Name = name,
            X = x,
            Y = [.. side.Select(r => (double?)value(r))],
            Low = withBand ? [.. side.Select(r => (double?)r.Low)] : null,
            High = withBand ? [.. side.Select(r => (double?)r.High)] : null,
        };
    }

    private PageTable Table(IReadOnlyList<FigurePoint> points)
    {
        bool hasDepths = points.Any(p => p.Row.Depth > 1);
        return PageTable.Of(
            points, p => $"{p.Row.Curve} {p.Row.RequestBytes} {p.Row.Depth}",
            [
                (PageColumn.Text("curve"), p => p.Row.Curve),
                ("request", p => PageCell.Size(p.Row.RequestBytes)),
                ("depth", p => hasDepths ? p.Row.Depth : PageCell.Empty),
                (new(".NET", "MiB/s"), p => p.Report.DotNet.Cell()),
                (new("Sluice", "MiB/s"), p => p.Report.Sluice.Cell()),
                ("ratio", p => p.Report.Sluice.RatioTo(p.Report.DotNet)),
                (new(".NET", CpuUnit), p => Cpu(p.Report.DotNet)),
                (new("Sluice", CpuUnit), p => Cpu(p.Report.Sluice)),
                (new(".NET", "extents"), p => p.Row.Extents?[p.Report.DotNet.Name].Average()),
                (new("Sluice", "extents"), p => p.Row.Extents?[p.Report.Sluice.Name].Average()),
            ]).WithoutEmptyColumns();
    }

    private double Cpu(ContenderReport side) => side.CpuUsPerOperation * (clockHz is { } hz ? hz / 1e6 : 1000);
}
