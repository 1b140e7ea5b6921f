using System.Text.Json.Serialization;
using Sluice.Cli.Report;

namespace Sluice.Cli.Load;

/// <summary>The results of one `speed` run, from which text, CSV and JSON are written.</summary>
/// <param name="Ratio">
/// The throughput of Sluice divided by that of .NET, as the median over the pairs of slices; null unless both ran.
/// </param>
/// <param name="CpuRatio">The CPU time of .NET for each byte divided by that of Sluice; null unless both ran.</param>
/// <param name="Verified">The result of --verify; null without it.</param>
internal sealed record SpeedReport(
    DateTimeOffset Started, IReadOnlyList<string> Arguments, EnvironmentRecord Environment, SpeedWorkload Workload,
    IReadOnlyList<CreationReport> Creations, IReadOnlyList<SideReport> Sides, double? Ratio, double? CpuRatio, bool Interrupted,
    VerifyReport? Verified, IReadOnlyList<string> Notes)
{
    [JsonPropertyOrder(-1)]
    public int FormatVersion { get; init; } = 1;
}

/// <param name="FileSizeBytes">The measured size, in bytes.</param>
/// <param name="Outstanding">The number of outstanding requests; null for synchronous calls from one thread.</param>
internal sealed record SpeedWorkload(
    string File, long FileSizeBytes, double? Zipf, int? FlushEvery, string Operation, int RequestSizeBytes, int? Outstanding,
    double SeekPercent, string Cache, bool TouchEveryByte, double? OfferedIops, double TimeSeconds, double WarmUpSeconds, int Seed);

/// <summary>The rate at which --extend or --preallocate created the file: the median of several creations, by the time of writing.</summary>
internal sealed record CreationReport(
    string Side, string Method, long SizeBytes, double WriteSeconds, double FlushSeconds, double MiBPerSecond, double MiBPerSecondWithFlush,
    double CpuPercent, double? CpuClocksPerByte);

/// <summary>The results of one engine.</summary>
/// <param name="FlushSeconds">The duration of FlushToDisk after the writes, in seconds.</param>
/// <param name="CpuPercent">The CPU time as a percentage of the elapsed time; 100 is one processor that is busy all the time.</param>
/// <param name="InFlightMean">
/// The mean number of requests at the device during the measured time, from all processes; null if the device is not known.
/// </param>
/// <param name="ServiceTime">The times from the actual starts of requests with --iops; the latencies begin at the intended starts.</param>
/// <param name="FlushLatency">The latency of each flush with --fsync.</param>
/// <param name="StorageReadBytes">
/// The number of bytes that came from devices during the measurement, including read-ahead; null if it is unknown.
/// </param>
/// <param name="SliceMiBPerSecond">The throughput of each slice.</param>
/// <param name="WindowStartSeconds">The start of each window, in seconds of measured time.</param>
internal sealed record SideReport(
    string Side, string Engine, string Caching, string? CachingReason, double Seconds, long Operations, long Bytes, double MiBPerSecond,
    double Iops, double? FlushSeconds, double? MiBPerSecondWithFlush, double CpuPercent, double CpuUsPerOperation,
    double? CpuClocksPerByte, double AllocatedBytesPerOperation, double? InFlightMean, LatencySummary? ReadLatency,
    LatencySummary? WriteLatency, LatencySummary? ServiceTime, LatencySummary? FlushLatency, long? StorageReadBytes,
    IReadOnlyList<double> SliceMiBPerSecond, IReadOnlyList<double> WindowMiBPerSecond, IReadOnlyList<double> WindowStartSeconds);

[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(SpeedReport))]
internal sealed partial class SpeedJsonContext : JsonSerializerContext;
