using Sluice.Cli.Report;

namespace Sluice.Cli.Bench;

internal static class BenchCsv
{
    public static void Write(TextWriter writer, BenchReport report)
    {
        writer.WriteLine(Csv.Line(
            "suite", "id", "name", "unit", "ratio", "sluice", "dotnet", "cpu_ratio", "sluice_cpu_us", "dotnet_cpu_us",
            "sluice_allocated_bytes",
            "dotnet_allocated_bytes", "second_name", "second", "second_ratio", "fio", "fio_ratio", "rounds", "lost", "targets", "ratio_low",
            "ratio_high", "best_ratio", "sluice_p50_us", "sluice_p99_us", "sluice_p99.9_us",
            "dotnet_p50_us", "dotnet_p99_us", "dotnet_p99.9_us"));
        foreach (RowReport row in report.Rows)
        {
            writer.WriteLine(Csv.Line(
                row.Suite, row.Id, row.Name, row.Unit, row.Ratio, row.Sluice.Rate, row.DotNet.Rate, row.CpuRatio,
                row.Sluice.CpuUsPerOperation,
                row.DotNet.CpuUsPerOperation, row.Sluice.AllocatedBytesPerOperation, row.DotNet.AllocatedBytesPerOperation,
                row.Second?.Name,
                row.Second?.Rate, row.SecondRatio, row.FioRate, row.FioRatio, row.Rounds, row.Verdict == "LOST",
                string.Join("; ", row.Targets.Select(t => t.Requirement)), row.RatioLow, row.RatioHigh, row.BestRatio,
                row.Sluice.Latency?.P50Us, row.Sluice.Latency?.P99Us, row.Sluice.Latency?.P999Us,
                row.DotNet.Latency?.P50Us, row.DotNet.Latency?.P99Us, row.DotNet.Latency?.P999Us));
        }
    }
}
