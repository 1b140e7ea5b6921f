using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Load;

/// <summary>The results of one `speed` run, from which text, CSV and JSON are written.</summary>
internal sealed record SpeedReport
{
    public int FormatVersion { get; init; } = 1;

    public required DateTimeOffset Started { get; init; }

    public required IReadOnlyList<string> Arguments { get; init; }

    public required EnvironmentRecord Environment { get; init; }

    public required SpeedWorkload Workload { get; init; }

    public required IReadOnlyList<CreationReport> Creations { get; init; }

    public required IReadOnlyList<SideReport> Sides { get; init; }

    /// <summary>The throughput of Sluice divided by that of .NET, as the median over the pairs of slices; null unless both ran.</summary>
    public double? Ratio { get; init; }

    /// <summary>The CPU time of .NET for each byte divided by that of Sluice; null unless both ran.</summary>
    public double? CpuRatio { get; init; }

    public bool Interrupted { get; init; }

    /// <summary>The result of --verify; null without it.</summary>
    public VerifyReport? Verified { get; init; }

    public required IReadOnlyList<string> Notes { get; init; }
}

internal sealed record SpeedWorkload
{
    public required string File { get; init; }

    /// <summary>The measured size, in bytes.</summary>
    public required long FileSizeBytes { get; init; }

    public double? Zipf { get; init; }

    public int? FlushEvery { get; init; }

    public required string Operation { get; init; }

    public required int RequestSizeBytes { get; init; }

    /// <summary>The number of outstanding requests; null for synchronous calls from one thread.</summary>
    public int? Outstanding { get; init; }

    public required double SeekPercent { get; init; }

    public required string Cache { get; init; }

    public required bool TouchEveryByte { get; init; }

    public double? OfferedIops { get; init; }

    public required double TimeSeconds { get; init; }

    public required double WarmUpSeconds { get; init; }

    public required int Seed { get; init; }
}

/// <summary>The rate at which --extend or --preallocate created the file: the median of several creations, by the time of writing.</summary>
internal sealed record CreationReport(
    string Side, string Method, long SizeBytes, double WriteSeconds, double FlushSeconds, double MiBPerSecond, double MiBPerSecondWithFlush,
    double CpuPercent, double? CpuClocksPerByte);

/// <summary>The results of one engine.</summary>
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

    /// <summary>The duration of FlushToDisk after the writes, in seconds.</summary>
    public double? FlushSeconds { get; init; }

    public double? MiBPerSecondWithFlush { get; init; }

    /// <summary>The CPU time as a percentage of the elapsed time; 100 is one processor that is busy all the time.</summary>
    public required double CpuPercent { get; init; }

    public required double CpuUsPerOperation { get; init; }

    public double? CpuClocksPerByte { get; init; }

    public required double AllocatedBytesPerOperation { get; init; }

    /// <summary>
    /// The mean number of requests at the device during the measured time, from all processes; null if the device is not known.
    /// </summary>
    public double? InFlightMean { get; init; }

    public LatencySummary? ReadLatency { get; init; }

    public LatencySummary? WriteLatency { get; init; }

    /// <summary>The times from the actual starts of requests with --iops; the latencies begin at the intended starts.</summary>
    public LatencySummary? ServiceTime { get; init; }

    /// <summary>The latency of each flush with --fsync.</summary>
    public LatencySummary? FlushLatency { get; init; }

    /// <summary>The number of bytes that came from devices during the measurement, including read-ahead; null if it is unknown.</summary>
    public long? StorageReadBytes { get; init; }

    /// <summary>The throughput of each slice; null in results of earlier versions.</summary>
    public IReadOnlyList<double>? SliceMiBPerSecond { get; init; }

    public required IReadOnlyList<double> WindowMiBPerSecond { get; init; }

    /// <summary>The start of each window, in seconds of measured time; null in results of earlier versions.</summary>
    public IReadOnlyList<double>? WindowStartSeconds { get; init; }
}

[JsonSourceGenerationOptions(WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true)]
[JsonSerializable(typeof(SpeedReport))]
internal sealed partial class SpeedJsonContext : JsonSerializerContext;
