using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Bench;

/// <summary>All rows of one `bench` run.</summary>
internal sealed record BenchReport
{
    public int FormatVersion { get; init; } = 1;

    public required DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public required EnvironmentRecord Environment { get; init; }

    /// <summary>The version of fio, or the reason why fio did not run.</summary>
    public required string Fio { get; init; }

    /// <summary>True for a quick run. It checks the form of the output, and its values mean nothing.</summary>
    public required bool Quick { get; init; }

    public required double Seconds { get; init; }

    public required bool Interrupted { get; init; }

    /// <summary>The I/O error that ended the run before its last row; null if the run was complete or interrupted.</summary>
    public string? Failure { get; init; }

    public required IReadOnlyList<RowReport> Rows { get; init; }

    /// <summary>The rows that could not be measured.</summary>
    public IReadOnlyList<SkippedRow> Skipped { get; init; } = [];
}

/// <summary>The result of one row: Sluice compared with .NET, and with the device if fio measured it.</summary>
/// <param name="Unit">The unit of every rate in the row: IOPS, ops/s or MiB/s.</param>
/// <param name="Ratio">The rate of Sluice divided by the rate of .NET, as the median over the rounds. Above 1, Sluice is faster.</param>
/// <param name="CpuRatio">The CPU time of .NET for each operation divided by that of Sluice. Above 1, Sluice needs less.</param>
/// <param name="CpuRatioLow">The 95 % interval of <see cref="CpuRatio"/>; null if there are fewer than seven rounds.</param>
/// <param name="RatioLow">The 95 % interval of <see cref="Ratio"/>; null if there are fewer than seven rounds.</param>
/// <param name="BestRatio">The highest rate of Sluice divided by the highest rate of .NET.</param>
/// <param name="FioCommand">The fio command that measured <see cref="FioRate"/>.</param>
/// <param name="FioRates">
/// The rate of fio in each round in which it ran. In the full form, it runs in every round, after Sluice and .NET.
/// </param>
/// <param name="FioError">The error because of which fio measured no rate for this row; otherwise, null.</param>
/// <param name="FioRatio">The rate of Sluice divided by the rate of fio, as the median over the rounds in which fio ran.</param>
/// <param name="FioRatioLow">The 95 % interval of <see cref="FioRatio"/>; null if there are fewer than seven rounds.</param>
internal sealed record RowReport(
    string Suite, string Id, string Name, string Why, string Unit, int Rounds, ContenderReport Sluice, ContenderReport DotNet,
    double Ratio, double CpuRatio, double? CpuRatioLow = null, double? CpuRatioHigh = null, double? RatioLow = null,
    double? RatioHigh = null, double? BestRatio = null, string? FioCommand = null, double? FioRate = null,
    IReadOnlyList<double>? FioRates = null, string? FioError = null, double? FioRatio = null, double? FioRatioLow = null,
    double? FioRatioHigh = null)
{
    public const string Faster = "faster";
    public const string Even = "even";
    public const string Slower = "slower";

    public static readonly string[] Verdicts = [Faster, Even, Slower];

    /// <summary>Returns true if <see cref="DotNet"/> is .NET. In a few rows it is another program, or Sluice used in another way.</summary>
    [JsonIgnore]
    public bool IsBesideDotNet => DotNet.Name == BenchTable.DotNetName;

    /// <summary>The name of the row, followed by the name of what Sluice is compared with if that is not .NET.</summary>
    [JsonIgnore]
    public string ShownName => IsBesideDotNet || Name.EndsWith($"beside {DotNet.Name}", StringComparison.Ordinal)
        ? Name
        : $"{Name}, beside {DotNet.Name}";

    /// <summary>
    /// <see cref="Faster"/> if the interval of the ratio lies above 1, <see cref="Slower"/> if it lies below 1, otherwise <see
    /// cref="Even"/>. Empty if there are fewer than seven rounds, which is too few for an interval.
    /// </summary>
    [JsonIgnore]
    public string Verdict => RatioLow is null || RatioHigh is null ? "" : RatioHigh < 1 ? Slower : RatioLow > 1 ? Faster : Even;

    /// <summary>The rate of Sluice divided by the rate of .NET in each round.</summary>
    [JsonIgnore]
    public IReadOnlyList<double> RoundRatios => [.. Statistics.Ratios(Sluice.SliceRates, DotNet.SliceRates)];
}

/// <summary>The medians over the slices of one <see cref="Contender"/>, and the rate of each slice.</summary>
internal sealed record ContenderReport(
    string Name, double Rate, double CpuUsPerOperation, double AllocatedBytesPerOperation, IReadOnlyList<double> SliceRates)
{
    [JsonIgnore]
    public double Low => SliceRates.DefaultIfEmpty(Rate).Min();

    [JsonIgnore]
    public double High => SliceRates.DefaultIfEmpty(Rate).Max();

    /// <summary>The CPU time of an operation in each slice, in microseconds.</summary>
    [JsonIgnore]
    public IReadOnlyList<double> SliceCpuUs { get; init; } = [];
}

/// <summary>A selected row that was not measured, and the reason.</summary>
internal sealed record SkippedRow(string Id, string Reason)
{
    [JsonIgnore]
    public string Name { get; init; } = Id;
}

[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(BenchReport))]
internal sealed partial class BenchJsonContext : JsonSerializerContext;
