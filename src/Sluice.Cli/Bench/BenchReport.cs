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

    /// <summary>The rows that could not be measured. The deserializer passes null if an older result does not have this property.</summary>
    public IReadOnlyList<SkippedRow> Skipped { get; init => field = value ?? []; } = [];
}

/// <summary>The result of one row: Sluice compared with .NET, and with the device if fio measured it.</summary>
internal sealed record RowReport
{
    public const string Faster = "faster";
    public const string Even = "even";
    public const string Slower = "slower";

    public static readonly string[] Verdicts = [Faster, Even, Slower];

    public required string Suite { get; init; }

    public required string Id { get; init; }

    public required string Name { get; init; }

    public required string Why { get; init; }

    /// <summary>The unit of every rate in the row: IOPS, ops/s or MiB/s.</summary>
    public required string Unit { get; init; }

    public required int Rounds { get; init; }

    public required ContenderReport Sluice { get; init; }

    public required ContenderReport DotNet { get; init; }

    /// <summary>The rate of Sluice divided by the rate of .NET, as the median over the rounds. Above 1, Sluice is faster.</summary>
    public required double Ratio { get; init; }

    /// <summary>The CPU time of .NET for each operation divided by that of Sluice. Above 1, Sluice needs less.</summary>
    public required double CpuRatio { get; init; }

    /// <summary>The 95 % interval of <see cref="CpuRatio"/>; null if there are fewer than seven rounds.</summary>
    public double? CpuRatioLow { get; init; }

    public double? CpuRatioHigh { get; init; }

    /// <summary>The 95 % interval of <see cref="Ratio"/>; null if there are fewer than seven rounds.</summary>
    public double? RatioLow { get; init; }

    public double? RatioHigh { get; init; }

    /// <summary>The highest rate of Sluice divided by the highest rate of .NET.</summary>
    public double? BestRatio { get; init; }

    /// <summary>The fio command that measured <see cref="FioRate"/>.</summary>
    public string? FioCommand { get; init; }

    public double? FioRate { get; init; }

    /// <summary>The rate of fio in each round in which it ran. In the full form, it runs in every round, after Sluice and .NET.</summary>
    public IReadOnlyList<double>? FioRates { get; init; }

    /// <summary>The error because of which fio measured no rate for this row; otherwise, null.</summary>
    public string? FioError { get; init; }

    /// <summary>The rate of Sluice divided by the rate of fio, as the median over the rounds in which fio ran.</summary>
    public double? FioRatio { get; init; }

    /// <summary>The 95 % interval of <see cref="FioRatio"/>; null if there are fewer than seven rounds.</summary>
    public double? FioRatioLow { get; init; }

    public double? FioRatioHigh { get; init; }

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

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(BenchReport))]
internal sealed partial class BenchJsonContext : JsonSerializerContext;
