namespace Sluice.Cli.Report.Pages;

/// <summary>One line or one set of bars. All lists are as long as <see cref="Y"/>; null is a gap, and so is a number that is none.</summary>
internal sealed record ChartSeries
{
    /// <summary>Begins with "Sluice" or ".NET" where it is theirs: such series have the same colour in every chart.</summary>
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
