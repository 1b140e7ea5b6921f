using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>The table that `bench` prints: ratio first, absolute figures after it.</summary>
internal static class BenchText
{
    public static void WriteHeader(TerminalStreams terminal, EnvironmentRecord environment, string fio)
    {
        string reason = environment.EngineReason ?? "this kernel and sandbox allow io_uring";
        terminal.Out.WriteLine($"sluice {environment.SluiceVersion}, engine {environment.Engine}: {reason}");
        EnvironmentText.Write(terminal.Out, environment);
        terminal.Out.WriteLine($"fio       {fio}");
        terminal.Out.WriteLine();
    }

    public static void WriteTable(TerminalStreams terminal, BenchReport report) => PageText.WriteTable(terminal, new PageTable
    {
        Columns =
        [
            PageColumn.Text("row"), new PageColumn("ratio"), new PageColumn("95 %"), PageColumn.Text("verdict"), new PageColumn("Sluice"),
            new PageColumn(".NET"), new PageColumn("unit"), new PageColumn("CPU ratio"), new PageColumn("best"),
            new PageColumn("p50/p99/p99.9 us"),
            new PageColumn(".NET's"), new PageColumn("CPU us/op"), new PageColumn("B/op"), new PageColumn("fio"), new PageColumn("to fio"),
        ],
        Rows = [.. report.Rows.SelectMany(Rows)],
    });

    public static void WriteSummary(TerminalStreams terminal, BenchReport report)
    {
        terminal.Out.WriteLine();
        terminal.Out.WriteLine("ratio: Sluice to .NET, above 1 Sluice is better (CPU ratio too); median of interleaved turns");
        terminal.Out.WriteLine("95 %: interval of the ratio; LOST: it lies below 1; even: it spans 1; best: the fastest turn of each");
        terminal.Out.WriteLine("CPU us/op and B/op: Sluice / .NET");
        terminal.Out.WriteLine(Summary(report));
        foreach (RowReport row in report.Rows.Where(r => r.SluicePageNs is not null))
        {
            terminal.Out.WriteLine(string.Create(CultureInfo.InvariantCulture,
                $"{row.Name}: touching a page cost {row.SluicePageNs:#,0} ns before Sluice's passes, {row.DotNetPageNs:#,0} before .NET's; "
                + $"{Counted.Of(row.DiscardedRounds, "round")} left out"));
        }
        foreach (SkippedRow row in report.Skipped)
            terminal.Out.WriteLine($"skipped {row.Id}: {row.Reason}");
        foreach (string error in report.Rows.Select(r => r.FioError).OfType<string>().Distinct())
            terminal.Out.WriteLine($"fio gave no figure: {error}");
        if (report.Quick)
            terminal.Out.WriteLine("quick run: shows that everything works; its figures mean nothing");
        if (report.Short)
        {
            terminal.Out.WriteLine(
                "short form: three rounds, on files a quarter to a tenth as long as in the whole, which is --full; "
                + "--suite NAME one suite of it");
        }
        if (report.Interrupted)
            terminal.Out.WriteLine(report.Rows.Count > 0 ? "interrupted: only the rows above were measured"
                : "interrupted before a row was measured");
    }

    /// <summary>How many rows are faster, even and slower; the rounds of a short run are too few to say so.</summary>
    public static string Summary(BenchReport report)
    {
        int faster = report.Rows.Count(r => r.Verdict == "faster");
        int even = report.Rows.Count(r => r.Verdict == "even");
        int slower = report.Rows.Count(r => r.Verdict == "LOST");
        string verdicts = faster + even + slower == 0 ? "too few rounds for a verdict" : $"{faster} faster, {even} even, {slower} slower";
        return string.Create(CultureInfo.InvariantCulture, $"{Counted.Of(report.Rows.Count, "row")}: {verdicts}; {report.Seconds:0} s");
    }

    public static string Latency(ContenderReport contender) => contender.Latency is not { } latency ? ""
        : $"{Us(latency.P50Us)}/{Us(latency.P99Us)}/{Us(latency.P999Us)}";

    private static IEnumerable<PageRow> Rows(RowReport row)
    {
        yield return new PageRow(
            row.Name, Ratio(row.Ratio), row.IntervalText, row.Verdict, Rate(row.Sluice.Rate), Rate(row.DotNet.Rate), row.Unit,
            Ratio(row.CpuRatio), row.BestRatio is { } best ? Ratio(best) : "", Latency(row.Sluice), Latency(row.DotNet),
            $"{Us(row.Sluice.CpuUsPerOperation)} / {Us(row.DotNet.CpuUsPerOperation)}",
            $"{Bytes(row.Sluice.AllocatedBytesPerOperation)} / {Bytes(row.DotNet.AllocatedBytesPerOperation)}",
            row.FioRate is { } fio ? Rate(fio) : "", row.FioRatio is { } fioRatio ? Ratio(fioRatio) : "");
        if (row.Second is { } second)
        {
            yield return new PageRow(
                $"  to {second.Name}", Ratio(row.SecondRatio ?? 0), row.SecondIntervalText, "", "", Rate(second.Rate), row.Unit, "", "", "",
                Latency(second), Us(second.CpuUsPerOperation), Bytes(second.AllocatedBytesPerOperation));
        }
    }

    private static string Ratio(double ratio) => ratio.ToString("0.00", CultureInfo.InvariantCulture);

    private static string Rate(double rate) => rate switch
    {
        >= 1000 => rate.ToString("#,0", CultureInfo.InvariantCulture),
        _ => rate.ToString("0.0", CultureInfo.InvariantCulture),
    };

    private static string Us(double us) =>
        us.ToString(us switch { >= 100 => "#,0", >= 0.1 => "0.00", _ => "0.0000" }, CultureInfo.InvariantCulture);

    private static string Bytes(double bytes) => Math.Round(bytes).ToString("#,0", CultureInfo.InvariantCulture);
}
