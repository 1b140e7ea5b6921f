using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Load;

/// <summary>The result of `speed` for people.</summary>
internal static class SpeedText
{
    public static void Write(TerminalStreams terminal, SpeedReport report)
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
        if (report.Verified is { } verified)
            output.WriteLine($"verified  {Counted.Of(verified.Requests, "request")} read again: {verified.Wrong:#,0} with other bytes");
        foreach (string note in report.Notes)
            output.WriteLine($"note: {note}");
        if (report.Interrupted)
            output.WriteLine(report.Sides.Count > 0
                ? "interrupted: the figures are of the time until then"
                : "interrupted before anything was measured");
    }

    public static string Describe(SpeedWorkload load)
    {
        if (load.TimeSeconds == 0)
            return $"{load.Operation}, {ByteSize.Format(load.RequestSizeBytes)} requests, {(load.Cache == "direct" ? "direct" : "cached")}";
        string order = load.Zipf is { } zipf ? string.Create(CultureInfo.InvariantCulture, $"at random by Zipf's law with {zipf}")
            : load.SeekPercent == 0
            ? "sequential"
            : string.Create(CultureInfo.InvariantCulture, $"seeks of up to {load.SeekPercent:0.##} %");
        string outstanding = load.Outstanding is { } count ? $"asynchronous, {count} outstanding" : "synchronous";
        string cache = load.Cache == "as is" ? "cached" : load.Cache;
        string rate = load.OfferedIops is { } iops ? string.Create(CultureInfo.InvariantCulture, $", {iops:#,0.##} a second offered") : "";
        string flush = load.FlushEvery is { } every ? $", a flush after every {(every == 1 ? "write" : $"{every:#,0} writes")}" : "";
        return $"{load.Operation}, {order}, {ByteSize.Format(load.RequestSizeBytes)} requests, {outstanding}, {cache}{rate}{flush}";
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
        if (sides.Any(s => s.InFlightMean is not null))
            Row("in flight, mean", s => Number(s.InFlightMean));
        Row("CPU %", s => Number(s.CpuPercent));
        Row("CPU us/request", s => Number(s.CpuUsPerOperation), report.CpuRatio);
        Row("CPU clocks/byte", s => Number(s.CpuClocksPerByte));
        Row("allocated B/request", s => Number(s.AllocatedBytesPerOperation));
        Latency("read latency us", s => s.ReadLatency);
        Latency("write latency us", s => s.WriteLatency);
        Latency("service time us", s => s.ServiceTime);
        Latency("flush latency us", s => s.FlushLatency);
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
            foreach ((string percentile, Func<LatencySummary, double> of) in LatencySummary.Percentiles.Where(p => p.Name != "95 %"))
                Row($"  {percentile}", s => Number(latency(s) is { } summary ? of(summary) : null));
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
