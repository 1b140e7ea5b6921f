using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Everyday;

/// <summary>Prints a run of the suite everyday in 80 columns: a line for each row, and one line of summary.</summary>
internal static class EverydayText
{
    public static void Write(TerminalStreams terminal, BenchReport report)
    {
        WriteTable(terminal, report);
        terminal.WriteLine(Summary(report));
    }

    /// <summary>Counts the verdicts, and names the row with the lowest ratio.</summary>
    public static string Summary(BenchReport report)
    {
        string missing = report.Skipped.Count > 0 ? $", {report.Skipped.Count} skipped" : "";
        string ended = report.Interrupted ? "interrupted: " : report.Failure is not null ? "ended by an error: " : "";
        if (report.Quick)
        {
            return $"{ended}{Counted.Of(report.Rows.Count, "row")} ran{missing}; a quick run measures nothing";
        }
        if (report.Rows.Count == 0)
            return $"{(ended.Length > 0 ? ended.TrimEnd(':', ' ') + " before a row was measured" : "no row was measured")}{missing}";
        int undecided = report.Rows.Count(r => r.Verdict.Length == 0);
        string few = undecided > 0 ? $", {undecided} of too few pairs" : "";
        string lowest = report.Rows.MinBy(r => r.Ratio) is { } row ? $"; lowest: {row.Name}, {Digits(row.Ratio)}" : "";
        return $"{ended}{BenchPage.Counts(report.Rows)}{few}{missing}{lowest}";
    }

    /// <summary>Returns the ratio with its interval, or with the number of pairs if they are too few for an interval.</summary>
    public static string RatioCell(RowReport row) => row is { RatioLow: { } low, RatioHigh: { } high }
        ? $"{Digits(row.Ratio)} ({Digits(low)}-{Digits(high)})"
        : $"{Digits(row.Ratio)} ({Counted.Of(row.RoundRatios.Count, "pair")})";

    /// <summary>Formats a rate in at most ten columns.</summary>
    public static string Rate(double rate, string unit) => unit == "MiB/s"
        ? rate >= 1024 ? $"{Digits(rate / 1024)} GiB/s" : $"{Digits(rate)} MiB/s"
        : rate >= 1e6 ? $"{Digits(rate / 1e6)} M/s"
        : rate >= 1e3 ? $"{Digits(rate / 1e3)} k/s"
        : $"{Digits(rate)} /s";

    private static void WriteTable(TerminalStreams terminal, BenchReport report)
    {
        var table = new PageTable(
            [PageColumn.Text(""), "ratio (95 %)", "Sluice", BenchTable.DotNetName, PageColumn.Text("verdict")],
            [
                .. report.Rows.Select(r =>
                    new PageRow(r.Name, RatioCell(r), Rate(r.Sluice.Rate, r.Unit), Rate(r.DotNet.Rate, r.Unit), r.Verdict)),
            ]);
        if (report.Rows.Count > 0)
            terminal.Out.Write(new TextTable(table).ToPlainText());
        foreach (SkippedRow row in report.Skipped)
            terminal.WriteLine($"{row.Name}, skipped: {row.Reason}", hang: 2);
        terminal.WriteLine();
    }

    private static string Digits(double value) =>
        value >= 100 ? $"{value:0}" : value >= 10 ? $"{value:0.0}" : $"{value:0.00}";
}
