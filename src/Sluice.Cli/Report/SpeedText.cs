using System.Globalization;
using Sluice.Cli.Commands;

namespace Sluice.Cli.Report;

/// <summary>The result of `speed` for people.</summary>
internal static class SpeedText
{
    public static void Write(Terminal terminal, SpeedReport report)
    {
        SpeedWorkload load = report.Workload;
        TextWriter output = terminal.Out;
        output.WriteLine($"{load.File}, {ByteSize.Format(load.FileSizeBytes)}: {Describe(load)}");
        EnvironmentText.Write(output, report.Environment);
        foreach (CreationReport creation in report.Creations)
        {
            output.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"created   by {creation.Side} ({creation.Method}): {creation.MiBPerSecond:#,0.0} MiB/s, "
                + $"{creation.MiBPerSecondWithFlush:#,0.0} MiB/s with flush, CPU {creation.CpuPercent:0.#} %"));
        }
        if (report.Sides.Count > 0)
        {
            output.WriteLine();
            Table(report).WriteTo(terminal);
        }
        foreach (string note in report.Notes)
            output.WriteLine($"note: {note}");
        if (report.Interrupted)
            output.WriteLine(report.Sides.Count > 0
                ? "interrupted: the figures are of the time until then"
                : "interrupted before anything was measured");
    }

    public static string Describe(SpeedWorkload load)
    {
        string order = load.SeekPercent == 0
            ? "sequential"
            : string.Create(CultureInfo.InvariantCulture, $"seeks of up to {load.SeekPercent:0.##} %");
        string outstanding = load.Outstanding is { } count ? $"asynchronous, {count} outstanding" : "synchronous";
        string cache = load.Cache == "as is" ? "cached" : load.Cache;
        string rate = load.OfferedIops is { } iops ? string.Create(CultureInfo.InvariantCulture, $", {iops:#,0.##} a second offered") : "";
        return $"{load.Operation}, {order}, {ByteSize.Format(load.RequestSizeBytes)} requests, {outstanding}, {cache}{rate}";
    }

    private static TextTable Table(SpeedReport report)
    {
        SideReport[] sides = [.. report.Sides];
        bool compare = sides.Length == 2;
        var table = new TextTable(["", .. sides.Select(s => s.Side), .. (compare ? ["ratio"] : Array.Empty<string>())]);

        Row("engine", s => s.Engine);
        Row("caching", s => s.Caching);
        Row("measured s", s => Number(s.Seconds));
        Row("MiB/s", s => Number(s.MiBPerSecond), report.Ratio);
        Row("requests/s", s => Number(s.Iops));
        if (sides[0].FlushSeconds is not null)
        {
            Row("flush s", s => Number(s.FlushSeconds));
            Row("MiB/s with flush", s => Number(s.MiBPerSecondWithFlush));
        }
        Row("CPU %", s => Number(s.CpuPercent));
        Row("CPU us/request", s => Number(s.CpuUsPerOperation), report.CpuRatio);
        Row("CPU clocks/byte", s => Number(s.CpuClocksPerByte));
        Row("allocated B/request", s => Number(s.AllocatedBytesPerOperation));
        Latency("read latency us", s => s.ReadLatency);
        Latency("write latency us", s => s.WriteLatency);
        Latency("service time us", s => s.ServiceTime);
        Row("steady from s", s => s.SteadyFromSeconds is { } from ? Number(from) : "not reached");
        Row("steady MiB/s", s => s.SteadyMiBPerSecond is { } rate ? Number(rate) : "");
        return table;

        void Row(string name, Func<SideReport, string> cell, double? ratio = null) =>
            table.Add([name, .. sides.Select(cell), ratio is { } r ? r.ToString("0.00", CultureInfo.InvariantCulture) : ""]);

        void Latency(string name, Func<SideReport, LatencySummary?> latency)
        {
            if (!sides.Any(s => latency(s) is not null))
                return;
            Row($"{name}: mean", s => Number(latency(s)?.MeanUs));
            Row("  50 %", s => Number(latency(s)?.P50Us));
            Row("  90 %", s => Number(latency(s)?.P90Us));
            Row("  99 %", s => Number(latency(s)?.P99Us));
            Row("  99.9 %", s => Number(latency(s)?.P999Us));
            Row("  99.99 %", s => Number(latency(s)?.P9999Us));
            Row("  99.999 %", s => Number(latency(s)?.P99999Us));
            Row("  max", s => Number(latency(s)?.MaxUs));
        }
    }

    private static string Number(double? value) => value switch
    {
        null => "",
        >= 1000 => value.Value.ToString("#,0", CultureInfo.InvariantCulture),
        >= 10 => value.Value.ToString("0.0", CultureInfo.InvariantCulture),
        _ => value.Value.ToString("0.00", CultureInfo.InvariantCulture),
    };
}
