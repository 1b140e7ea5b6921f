using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <param name="Reference">A dashed horizontal line across the chart, such as the ratio 1; null for none.</param>
internal sealed record PageChart(
    string Title, ChartKind Kind, ChartAxis X, ChartAxis Y, IReadOnlyList<ChartSeries> Series, ChartLine? Reference = null)
{
    /// <summary>Returns a bar chart of the medians of rounds, with the lowest and the highest round as whiskers.</summary>
    /// <param name="series">The values of the rounds for each category. Null or an empty list is a gap.</param>
    public static PageChart OfRounds(
        string title, ChartAxis x, ChartAxis y, IEnumerable<(string Name, IEnumerable<IEnumerable<double>?> Rounds)> series,
        ChartLine? reference = null) => new(title, ChartKind.Bar, x, y, [.. series.Select(s => SeriesOf(s.Name, s.Rounds))], reference);

    private static ChartSeries SeriesOf(string name, IEnumerable<IEnumerable<double>?> rounds)
    {
        double[]?[] values = [.. rounds.Select(r => r?.ToArray() is { Length: > 0 } filled ? filled : null)];
        return new ChartSeries
        {
            Name = name,
            Y = [.. values.Select(v => v is null ? (double?)null : Statistics.Median(v))],
            Low = [.. values.Select(v => v?.Min())],
            High = [.. values.Select(v => v?.Max())],
        };
    }
}

[JsonConverter(typeof(JsonStringEnumConverter<ChartKind>))]
internal enum ChartKind { Line, Bar }

/// <param name="Unit">
/// The unit. On an axis of sizes, "B" gives ticks such as 4 KiB and 1 MiB; other units are shown after the label.
/// </param>
/// <param name="IsLog">True for a logarithmic axis, on which values of 0 and below are left out.</param>
/// <param name="LessIsBetter">True for times and costs, where a bar below the reference line is better.</param>
/// <param name="Categories">The names of the values 0, 1, 2 ... of X; null for an axis of numbers.</param>
internal sealed record ChartAxis(
    string Label, string? Unit = null, bool IsLog = false, IReadOnlyList<string>? Categories = null, bool LessIsBetter = false);

/// <summary>A value of the Y axis that is drawn across the chart, and its label.</summary>
internal sealed record ChartLine(double Y, string Label);

/// <summary>One line or one set of bars. All lists are as long as <see cref="Y"/>; null, NaN and infinity are gaps.</summary>
internal sealed record ChartSeries
{
    /// <summary>The name. Series whose names begin with "Sluice" or ".NET" have the same color in every chart.</summary>
    public required string Name { get; init; }

    /// <summary>The X values; empty for 0, 1, 2 ..., as for categories. The series of a chart may have different ones.</summary>
    public IReadOnlyList<double> X { get; init; } = [];

    public required IReadOnlyList<double?> Y { get; init => field = Finite(value); }

    /// <summary>The lower ends of the error band; null for none.</summary>
    public IReadOnlyList<double?>? Low { get; init => field = value is null ? null : Finite(value); }

    public IReadOnlyList<double?>? High { get; init => field = value is null ? null : Finite(value); }

    // NaN and infinity become null, because JSON does not have them.
    private static double?[] Finite(IReadOnlyList<double?> values) =>
        [.. values.Select(v => v is { } number && double.IsFinite(number) ? v : null)];
}
