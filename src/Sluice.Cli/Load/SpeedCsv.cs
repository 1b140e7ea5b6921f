using Sluice.Cli.Report;

namespace Sluice.Cli.Load;

/// <summary>The result as one comma-separated line, for -q and --csv. docs/cli.md lists the columns.</summary>
internal static class SpeedCsv
{
    public static IReadOnlyList<string> Columns { get; } =
    [
        "file", "operation", "file_bytes", "request_bytes", "outstanding", "seek_percent", "cache", "engine", "seconds", "requests",
        "bytes", "mib_s", "iops",
        "cpu_percent", "clocks_per_byte", "mean_us", "p50_us", "p90_us", "p99_us", "p99.9_us", "p99.99_us", "p99.999_us", "max_us",
        "flush_s", "create",
        "create_mib_s", "dotnet_mib_s", "dotnet_iops", "dotnet_cpu_percent", "dotnet_p50_us", "dotnet_p99_us", "ratio", "interrupted",
    ];

    /// <param name="hasNames">True to write a line of column names first, which -q leaves out.</param>
    public static void Write(TextWriter output, SpeedReport report, bool hasNames)
    {
        if (hasNames)
            output.WriteLine(Csv.Line(Columns));
        SpeedWorkload load = report.Workload;
        SideReport? side = report.Sides.Count > 0 ? report.Sides[0] : null;
        SideReport? dotNet = report.Sides.Count > 1 ? report.Sides[1] : null;
        LatencySummary? latency = side?.WriteLatency ?? side?.ReadLatency;
        LatencySummary? dotNetLatency = dotNet?.WriteLatency ?? dotNet?.ReadLatency;
        CreationReport? creation = report.Creations.Count > 0 ? report.Creations[0] : null;
        output.WriteLine(Csv.Line(
            load.File, load.Operation, load.FileSizeBytes, load.RequestSizeBytes, load.Outstanding, load.SeekPercent, load.Cache,
            side?.Side ?? creation?.Side, side?.Seconds, side?.Operations, side?.Bytes, side?.MiBPerSecond, side?.Iops, side?.CpuPercent,
            side?.CpuClocksPerByte, latency?.MeanUs, latency?.P50Us, latency?.P90Us, latency?.P99Us, latency?.P999Us, latency?.P9999Us,
            latency?.P99999Us, latency?.MaxUs, side?.FlushSeconds, creation?.Method, creation?.MiBPerSecond, dotNet?.MiBPerSecond,
            dotNet?.Iops,
            dotNet?.CpuPercent, dotNetLatency?.P50Us, dotNetLatency?.P99Us, report.Ratio, report.Interrupted));
    }
}
