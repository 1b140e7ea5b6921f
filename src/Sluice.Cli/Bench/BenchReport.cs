using System.Text.Json.Serialization;
using Sluice.Cli.Load;
using Sluice.Cli.Report;

namespace Sluice.Cli.Bench;

/// <summary>All rows of one `bench` run.</summary>
internal sealed record BenchReport
{
    public int FormatVersion { get; init; } = 1;

    public required DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public required EnvironmentRecord Environment { get; init; }

    /// <summary>The version of fio, or the reason why there are no figures of it.</summary>
    public required string Fio { get; init; }

    /// <summary>Quick runs check the shape of the output; their figures mean nothing.</summary>
    public required bool Quick { get; init; }

    public required double Seconds { get; init; }

    public required bool Interrupted { get; init; }

    /// <summary>The I/O error that ended the run before its last row; null if the run was complete or interrupted.</summary>
    public string? Failure { get; init; }

    public required IReadOnlyList<RowReport> Rows { get; init; }

    /// <summary>The rows that could not be measured. The deserializer passes null if an older result does not have this property.</summary>
    public IReadOnlyList<SkippedRow> Skipped { get; init => field = value ?? []; } = [];
}

/// <summary>One row: Sluice beside .NET, and beside the device where fio measured it.</summary>
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

    /// <summary>IOPS, ops/s or MiB/s, for every rate in the row.</summary>
    public required string Unit { get; init; }

    public required int Rounds { get; init; }

    public required ContenderReport Sluice { get; init; }

    public required ContenderReport DotNet { get; init; }

    /// <summary>Sluice's rate over .NET's, median over the rounds; above 1 Sluice is faster.</summary>
    public required double Ratio { get; init; }

    /// <summary>.NET's CPU time for each operation over Sluice's; above 1 Sluice needs less.</summary>
    public required double CpuRatio { get; init; }

    /// <summary>The 95 % interval of <see cref="CpuRatio"/>; null if there are fewer than seven rounds.</summary>
    public double? CpuRatioLow { get; init; }

    public double? CpuRatioHigh { get; init; }

    /// <summary>The 95 % interval of <see cref="Ratio"/>; null if there are fewer than seven rounds.</summary>
    public double? RatioLow { get; init; }

    public double? RatioHigh { get; init; }

    /// <summary>Sluice's fastest round over .NET's fastest.</summary>
    public double? BestRatio { get; init; }

    /// <summary>The command line that gave <see cref="FioRate"/>.</summary>
    public string? FioCommand { get; init; }

    public double? FioRate { get; init; }

    /// <summary>
    /// The rate of fio in each round in which it ran. In the full form it runs in every round, after the turns of the two sides.
    /// </summary>
    public IReadOnlyList<double>? FioRates { get; init; }

    /// <summary>Why fio, though installed, gave no figure for this row; otherwise null.</summary>
    public string? FioError { get; init; }

    /// <summary>Sluice's rate over fio's, median over the rounds in which fio ran.</summary>
    public double? FioRatio { get; init; }

    /// <summary>The 95 % interval of <see cref="FioRatio"/>; null if there are fewer than seven rounds.</summary>
    public double? FioRatioLow { get; init; }

    public double? FioRatioHigh { get; init; }

    /// <summary>Returns true if <see cref="DotNet"/> is .NET. In a few rows it is another program, or Sluice used in another way.</summary>
    [JsonIgnore]
    public bool IsBesideDotNet => DotNet.Name == BenchTable.DotNetName;

    /// <summary>The name of the row, with its peer if that is not .NET.</summary>
    [JsonIgnore]
    public string ShownName => IsBesideDotNet || Name.EndsWith($"beside {DotNet.Name}", StringComparison.Ordinal)
        ? Name
        : $"{Name}, beside {DotNet.Name}";

    /// <summary>
    /// <see cref="Faster"/> if the interval lies above 1, <see cref="Slower"/> if it lies below, else <see cref="Even"/>. Empty without
    /// an interval, which takes seven pairs.
    /// </summary>
    [JsonIgnore]
    public string Verdict => RatioLow is null || RatioHigh is null ? "" : RatioHigh < 1 ? Slower : RatioLow > 1 ? Faster : Even;

    /// <summary>Sluice's rate over .NET's, round by round.</summary>
    [JsonIgnore]
    public IReadOnlyList<double> RoundRatios =>
        [.. Sluice.SliceRates.Zip(DotNet.SliceRates).Where(p => p is { First: > 0, Second: > 0 }).Select(p => p.First / p.Second)];
}

/// <summary>Medians over the slices of one contender, and the slices' rates.</summary>
internal sealed record ContenderReport(
    string Name, double Rate, double CpuUsPerOperation, double AllocatedBytesPerOperation, IReadOnlyList<double> SliceRates)
{
    [JsonIgnore]
    public double Low => SliceRates.DefaultIfEmpty(Rate).Min();

    [JsonIgnore]
    public double High => SliceRates.DefaultIfEmpty(Rate).Max();

    /// <summary>Processor time of an operation in each slice, in microseconds.</summary>
    [JsonIgnore]
    public IReadOnlyList<double> SliceCpuUs { get; init; } = [];

    /// <summary>Of single operations, in a turn of their own that no other figure is of; null where an operation is a whole pass.</summary>
    public LatencySummary? Latency { get; init; }
}

/// <summary>A selected row that was not measured, and the reason.</summary>
internal sealed record SkippedRow(string Id, string Reason)
{
    [JsonIgnore]
    public string Name { get; init; } = Id;
}


[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(BenchReport))]
internal sealed partial class BenchJsonContext : JsonSerializerContext;
