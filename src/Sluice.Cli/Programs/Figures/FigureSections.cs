using System.Globalization;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>Turns curves into a section: a chart of rates, a chart of CPU, and the table that both are drawn from.</summary>
internal sealed class FigureSections(FigureContext context)
{
    private string CpuUnit => context.ClockHz is null ? "ns/byte" : "clocks/byte";

    public PageSection Make(FigureSet set, IReadOnlyList<CurvePoint> points)
    {
        var charts = new List<PageChart>();
        foreach (IGrouping<string, CurvePoint> operation in points.GroupBy(p => p.Curve.Split(',')[0]))
        {
            if (context.Wanted.Contains(set.RateFigure))
                charts.Add(Chart($"Figure {set.RateFigure}: bandwidth, {operation.Key}", "bandwidth", "MiB/s", [.. operation],
                    r => r.Rate / ByteSize.MiB, withBand: true));
            if (set.CpuFigure is { } number && context.Wanted.Contains(number))
                charts.Add(Chart($"Figure {number}: CPU, {operation.Key}", "CPU", CpuUnit, [.. operation], Cpu, withBand: false));
        }
        return new PageSection { Heading = set.Heading, Text = set.Text(context.Scale), Charts = charts, Tables = [Table(points)] };
    }

    private static PageChart Chart(
        string title, string label, string unit, IReadOnlyList<CurvePoint> points, Func<MeasuredRate, double> value, bool withBand)
    {
        bool hasDepths = points.Any(p => p.Depth > 1);
        var series = new List<ChartSeries>();
        foreach (IGrouping<(string Curve, int Depth), CurvePoint> curve in points.GroupBy(p => (p.Curve, p.Depth)))
        {
            string name = curve.Key.Curve.Contains(',') ? $" {curve.Key.Curve[(curve.Key.Curve.IndexOf(',') + 2)..]}" : "";
            string depth = hasDepths ? $" depth {curve.Key.Depth}" : "";
            series.Add(Series($".NET{name}{depth}", curve, p => p.DotNet));
            series.Add(Series($"Sluice{name}{depth}", curve, p => p.Sluice));
        }
        return new PageChart
        {
            Title = title,
            Kind = ChartKind.Line,
            X = new ChartAxis("request size", "B", IsLog: true),
            Y = new ChartAxis(label, unit, IsLog: true),
            Series = series,
        };

        ChartSeries Series(string name, IEnumerable<CurvePoint> curve, Func<CurvePoint, MeasuredRate> side) => new()
        {
            Name = name,
            X = [.. curve.Select(p => (double)p.RequestBytes)],
            Y = [.. curve.Select(p => (double?)value(side(p)))],
            Low = withBand ? [.. curve.Select(p => (double?)(side(p).Low / ByteSize.MiB))] : null,
            High = withBand ? [.. curve.Select(p => (double?)(side(p).High / ByteSize.MiB))] : null,
        };
    }

    private PageTable Table(IReadOnlyList<CurvePoint> points)
    {
        bool hasDepths = points.Any(p => p.Depth > 1);
        bool hasPieces = points.Any(p => p.Pieces is not null);
        return new PageTable
        {
            Columns =
            [
                PageColumn.Text("curve"), new PageColumn("request"), .. hasDepths ? [new PageColumn("depth")] : Array.Empty<PageColumn>(),
                new PageColumn(".NET", "MiB/s"), new PageColumn("Sluice", "MiB/s"), new PageColumn("ratio"),
                new PageColumn(".NET", CpuUnit), new PageColumn("Sluice", CpuUnit),
                .. hasPieces ? [new PageColumn(".NET", "extents"), new PageColumn("Sluice", "extents")] : Array.Empty<PageColumn>(),
            ],
            Rows = [.. points.Select(p => Row(p, hasDepths, hasPieces))],
        };
    }

    private PageRow Row(CurvePoint point, bool hasDepth, bool hasPieces)
    {
        var request = new PageCell(ByteSize.Format(point.RequestBytes), point.RequestBytes);
        List<PageCell> cells = [point.Curve, request];
        if (hasDepth)
            cells.Add(point.Depth);
        cells.AddRange([point.DotNet.Cell(ByteSize.MiB), point.Sluice.Cell(ByteSize.MiB), point.Sluice.RatioTo(point.DotNet),
            Cpu(point.DotNet), Cpu(point.Sluice)]);
        if (hasPieces)
            cells.AddRange([point.Pieces?.DotNet, point.Pieces?.Sluice]);
        return new PageRow(cells)
        {
            Key = string.Create(CultureInfo.InvariantCulture, $"{point.Curve} {point.RequestBytes} {point.Depth}"),
        };
    }

    private double Cpu(MeasuredRate reading) => context.ClockHz is { } hz ? reading.CpuNs * hz / 1e9 : reading.CpuNs;
}
