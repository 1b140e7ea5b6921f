using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

internal sealed record PageChart
{
    public required string Title { get; init; }

    public required ChartKind Kind { get; init; }

    public required ChartAxis X { get; init; }

    public required ChartAxis Y { get; init; }

    public required IReadOnlyList<ChartSeries> Series { get; init; }

    /// <summary>A dashed line across the chart, such as the ratio 1.</summary>
    public ChartLine? Reference { get; init; }

    /// <summary>Dashed lines from top to bottom of a line chart, such as moments at which something happened.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public ChartMarks? Marks { get; init; }

    /// <summary>Bars of the medians of rounds, with the lowest and the highest round as whiskers.</summary>
    /// <param name="series">Of each category the values of its rounds; null or none is a gap.</param>
    public static PageChart OfRounds(
        string title, ChartAxis x, ChartAxis y, IEnumerable<(string Name, IEnumerable<IEnumerable<double>?> Rounds)> series,
        ChartLine? reference = null)
    {
        return new PageChart
        {
            Title = title,
            Kind = ChartKind.Bar,
            X = x,
            Y = y,
            Series = [.. series.Select(Series)],
            Reference = reference,
        };

        static ChartSeries Series((string Name, IEnumerable<IEnumerable<double>?> Rounds) of)
        {
            double[]?[] rounds = [.. of.Rounds.Select(r => r?.ToArray() is { Length: > 0 } values ? values : null)];
            return new ChartSeries
            {
                Name = of.Name,
                Y = [.. rounds.Select(r => r is null ? (double?)null : Statistics.Median(r))],
                Low = [.. rounds.Select(r => r?.Min())],
                High = [.. rounds.Select(r => r?.Max())],
            };
        }
    }
}

[JsonConverter(typeof(JsonStringEnumConverter<ChartKind>))]
internal enum ChartKind { Line, Bar }

/// <param name="Unit">"B" on an axis of sizes gives ticks of 4 KiB and 1 MiB; other units stand beside the label.</param>
/// <param name="IsLog">Logarithmic: values of 0 and below are left out.</param>
/// <param name="LessIsBetter">Of times and costs: a bar below the chart's reference line is then the good one.</param>
/// <param name="Categories">Names instead of numbers: the values of X are then 0, 1, 2 ... in their order.</param>
internal sealed record ChartAxis(
    string Label, string? Unit = null, bool IsLog = false, IReadOnlyList<string>? Categories = null, bool LessIsBetter = false);

/// <summary>A value of the Y axis to draw across a chart, and its label.</summary>
internal sealed record ChartLine(double Y, string Label);

/// <summary>Values of the X axis to draw a line at, and their label.</summary>
internal sealed record ChartMarks(IReadOnlyList<double> X, string Label);

/// <summary>One line or one set of bars. All lists are as long as <see cref="Y"/>; null, NaN and infinity are gaps.</summary>
internal sealed record ChartSeries
{
    /// <summary>Begins with "Sluice" or ".NET" for their values: such series have the same color in every chart.</summary>
    public required string Name { get; init; }

    /// <summary>Empty: 0, 1, 2 ..., as for categories. Need not be the same for all series of a chart.</summary>
    public IReadOnlyList<double> X { get; init => field = value ?? []; } = [];

    public required IReadOnlyList<double?> Y { get; init => field = Finite(value); }

    /// <summary>The lower end of the error band, or null.</summary>
    public IReadOnlyList<double?>? Low { get; init => field = value is null ? null : Finite(value); }

    public IReadOnlyList<double?>? High { get; init => field = value is null ? null : Finite(value); }

    // JSON has no NaN and no infinity.
    private static double?[] Finite(IReadOnlyList<double?> values) =>
        [.. values.Select(v => v is { } number && double.IsFinite(number) ? v : null)];
}
