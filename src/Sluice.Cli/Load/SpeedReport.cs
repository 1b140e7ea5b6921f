using System.Globalization;
using System.Text.Json;
using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Load;

/// <summary>All that one `speed` run found out; text, CSV and JSON are written from it.</summary>
internal sealed record SpeedReport
{
    public int FormatVersion { get; init; } = 1;

    public required DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public required EnvironmentRecord Environment { get; init; }

    public required SpeedWorkload Workload { get; init; }

    public required IReadOnlyList<CreationReport> Creations { get; init; }

    public required IReadOnlyList<SideReport> Sides { get; init; }

    /// <summary>Sluice's throughput over .NET's, the median over the pairs of slices; null unless both ran.</summary>
    public double? Ratio { get; init; }

    /// <summary>.NET's CPU time for each byte over Sluice's.</summary>
    public double? CpuRatio { get; init; }

    public bool Interrupted { get; init; }

    /// <summary>With --verify.</summary>
    public VerifyReport? Verified { get; init; }

    /// <summary>With --metrics: what the meter "Sluice" counted in the whole run, warm-up included.</summary>
    public IReadOnlyList<MetricValue>? Metrics { get; init; }

    /// <summary>Of one of several processes that began together; null where this was the only one.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public RankReport? Rank { get; init; }

    public required IReadOnlyList<string> Notes { get; init; }
}

/// <summary>Which of several processes this was, and when it began with the others.</summary>
internal sealed record RankReport
{
    public required int Index { get; init; }

    public required int Count { get; init; }

    public required string Host { get; init; }

    /// <summary>The same for all that met, and for no others.</summary>
    public required string Run { get; init; }

    /// <summary>When all were to begin, by their clocks.</summary>
    public required DateTimeOffset Start { get; init; }

    /// <summary>How much later this one could, because it saw the others' files only then.</summary>
    public required double LateSeconds { get; init; }

    /// <summary>When its measured time began, behind the warm-up; null where it did not come to that.</summary>
    public DateTimeOffset? MeasuredFrom { get; init; }
}

internal sealed record SpeedWorkload
{
    public required string File { get; init; }

    /// <summary>Of several; null: <see cref="File"/> is the only one.</summary>
    public IReadOnlyList<string>? Files { get; init; }

    /// <summary>What is measured, of all files together.</summary>
    public required long FileSizeBytes { get; init; }

    public double? Zipf { get; init; }

    public int? FlushEvery { get; init; }

    public required string Operation { get; init; }

    public required int RequestSizeBytes { get; init; }

    /// <summary>Null: synchronous, one thread.</summary>
    public int? Outstanding { get; init; }

    public required double SeekPercent { get; init; }

    public required string Cache { get; init; }

    public required bool TouchEveryByte { get; init; }

    public double? OfferedIops { get; init; }

    public required double TimeSeconds { get; init; }

    public required double WarmUpSeconds { get; init; }

    public required int Seed { get; init; }

    /// <summary>The same for the same work, whatever the files are called: that of several processes which measure together.</summary>
    public string Key() => JsonSerializer.Serialize(
        this with { File = (Files?.Count ?? 1).ToString(CultureInfo.InvariantCulture), Files = null },
        SpeedJsonContext.Default.SpeedWorkload);
}

/// <summary>How fast a file was made by -x or -p: of several times and several files the median, by the time of writing.</summary>
/// <param name="SizeBytes">Of one file.</param>
internal sealed record CreationReport(
    string Side, string Method, long SizeBytes, double WriteSeconds, double FlushSeconds, double MiBPerSecond, double MiBPerSecondWithFlush,
    double CpuPercent, double? CpuClocksPerByte)
{
    /// <summary>The files that were made, one after another; null of one.</summary>
    public int? Files { get; init; }
}

/// <summary>What one engine did.</summary>
internal sealed record SideReport
{
    public required string Side { get; init; }

    public required string Engine { get; init; }

    public required string Caching { get; init; }

    public string? CachingReason { get; init; }

    public required double Seconds { get; init; }

    public required long Operations { get; init; }

    public required long Bytes { get; init; }

    public required double MiBPerSecond { get; init; }

    public required double Iops { get; init; }

    /// <summary>Time that FlushToDisk took after the writes, and the rate with it.</summary>
    public double? FlushSeconds { get; init; }

    public double? MiBPerSecondWithFlush { get; init; }

    /// <summary>100: one processor busy all the time.</summary>
    public required double CpuPercent { get; init; }

    public required double CpuUsPerOperation { get; init; }

    public double? CpuClocksPerByte { get; init; }

    public required double AllocatedBytesPerOperation { get; init; }

    /// <summary>
    /// Requests on their way at the device, the mean over the measured time, whoever made them; null where the device is not known.
    /// </summary>
    public double? InFlightMean { get; init; }

    public LatencySummary? ReadLatency { get; init; }

    public LatencySummary? WriteLatency { get; init; }

    /// <summary>With --iops: from the real start; the other two count from the intended one.</summary>
    public LatencySummary? ServiceTime { get; init; }

    /// <summary>With --fsync: of each flush.</summary>
    public LatencySummary? FlushLatency { get; init; }

    /// <summary>Of one of several processes: what the percentiles of all together are made from.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public SideHistograms? Histograms { get; init; }

    /// <summary>Bytes that came from devices while it was measured, read-ahead included; null where that is not told.</summary>
    public long? StorageReadBytes { get; init; }

    /// <summary>Seconds into the measured time from which throughput was steady, or null.</summary>
    public double? SteadyFromSeconds { get; init; }

    /// <summary>Mean throughput from there on.</summary>
    public double? SteadyMiBPerSecond { get; init; }

    /// <summary>Of each slice, the turns that the sides took; null in results of before this was kept.</summary>
    public IReadOnlyList<double>? SliceMiBPerSecond { get; init; }

    public required IReadOnlyList<double> WindowMiBPerSecond { get; init; }

    /// <summary>When each window began, in seconds of measured time; null in results of before this was kept.</summary>
    public IReadOnlyList<double>? WindowStartSeconds { get; init; }
}

/// <summary>Those that <see cref="SideReport"/> has summaries of; null where nothing was counted.</summary>
internal sealed record SideHistograms(
    HistogramRecord? Read, HistogramRecord? Write, HistogramRecord? Service, HistogramRecord? Flush);

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(SpeedReport))]
internal sealed partial class SpeedJsonContext : JsonSerializerContext;
