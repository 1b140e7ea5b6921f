namespace Sluice.Cli.Report.Pages;

internal sealed record PageChart
{
    public required string Title { get; init; }

    public required ChartKind Kind { get; init; }

    public required ChartAxis X { get; init; }

    public required ChartAxis Y { get; init; }

    public required IReadOnlyList<ChartSeries> Series { get; init; }

    /// <summary>A dashed line across the chart, such as "as fast as .NET" at a ratio of 1.</summary>
    public ChartLine? Reference { get; init; }
}
