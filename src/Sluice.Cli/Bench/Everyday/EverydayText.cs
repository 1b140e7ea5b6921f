using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Bench.Everyday;

/// <summary>
/// A run of everyday work as text of 80 columns: a line for each row, a bar for each in a terminal, and one line of summary.
/// </summary>
internal static class EverydayText
{
    private const int BarColumns = 22;

    public static void Write(TerminalStreams terminal, BenchReport report)
    {
        WriteTable(terminal, report);
        if (terminal.IsOutputTerminal && report.Rows.Count > 0)
            WriteBars(terminal, report.Rows);
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
        int untold = report.Rows.Count(r => r.Verdict.Length == 0);
        string few = untold > 0 ? $", {untold} of too few pairs" : "";
        string lowest = report.Rows.MinBy(r => r.Ratio) is { } row ? $"; lowest: {row.Name}, {Digits(row.Ratio)}" : "";
        return $"{ended}{BenchPage.Counts(report.Rows)}{few}{missing}{lowest}";
    }

    /// <summary>The ratio with its interval, or the number of pairs if they are too few for an interval.</summary>
    public static string RatioCell(RowReport row) => row is { RatioLow: { } low, RatioHigh: { } high }
        ? $"{Digits(row.Ratio)} ({Digits(low)}-{Digits(high)})"
        : $"{Digits(row.Ratio)} ({Counted.Of(row.RoundRatios.Count, "pair")})";

    /// <summary>A rate in at most ten columns.</summary>
    public static string Rate(double rate, string unit) => unit == "MiB/s"
        ? rate >= 1024 ? Text($"{Digits(rate / 1024)} GiB/s") : Text($"{Digits(rate)} MiB/s")
        : rate >= 1e6 ? Text($"{Digits(rate / 1e6)} M/s")
        : rate >= 1e3 ? Text($"{Digits(rate / 1e3)} k/s")
        : Text($"{Digits(rate)} /s");

    private static void WriteTable(TerminalStreams terminal, BenchReport report)
    {
        var table = new TextTable("", "ratio (95 %)", "Sluice", BenchTable.DotNetName, "verdict")
        {
            LeftColumns = new HashSet<int> { 0, 4 },
        };
        foreach (RowReport row in report.Rows)
        {
            table.Add(row.Name, RatioCell(row), Rate(row.Sluice.Rate, row.Unit), Rate(row.DotNet.Rate, row.Unit), row.Verdict);
        }
        if (report.Rows.Count > 0)
            WriteColored(terminal, table.ToPlainText());
        foreach (SkippedRow row in report.Skipped)
            terminal.WriteLine($"{row.Name}, skipped: {row.Reason}", hang: 2);
        terminal.WriteLine();
    }

    private static void WriteColored(TerminalStreams terminal, string text)
    {
        if (!terminal.IsOutputTerminal)
        {
            terminal.Out.Write(text);
            return;
        }
        IAnsiConsole console = terminal.AnsiOut();
        foreach (string line in text.TrimEnd('\n').Split('\n'))
        {
            string? color = line.EndsWith(RowReport.Slower, StringComparison.Ordinal) ? "red"
                : line.EndsWith(RowReport.Faster, StringComparison.Ordinal) ? "green" : null;
            int verdict = line.LastIndexOf(' ') + 1;
            console.MarkupLine(color is null
                ? Markup.Escape(line)
                : $"{Markup.Escape(line[..verdict])}[{color}]{Markup.Escape(line[verdict..])}[/]");
        }
    }

    /// <summary>Draws a bar for each row, to the left of 1 where Sluice is slower. Its length is the logarithm of the ratio.</summary>
    private static void WriteBars(TerminalStreams terminal, IReadOnlyList<RowReport> rows)
    {
        IAnsiConsole console = terminal.AnsiOut();
        char block = console.Profile.Capabilities.Unicode ? '█' : '#';
        double longest = Math.Max(1, rows.Max(r => Math.Abs(Math.Log2(r.Ratio))));
        string end = Text($"{Digits(Math.Pow(2, longest))} x");
        console.WriteLine($"{"",EverydaySuite.MaxNameLength} {"slower",-BarColumns}|{$"faster, to {end}",BarColumns}");
        foreach (RowReport row in rows)
        {
            int columns = (int)Math.Round(BarColumns * Math.Abs(Math.Log2(row.Ratio)) / longest);
            string bar = new(block, columns);
            string color = row.Verdict == RowReport.Slower ? "red" : row.Verdict == RowReport.Faster ? "green" : "grey";
            string name = Markup.Escape(TerminalText.Printable(row.Name).PadRight(EverydaySuite.MaxNameLength));
            console.MarkupLine(row.Ratio < 1
                ? $"{name} {new string(' ', BarColumns - columns)}[{color}]{bar}[/]|"
                : $"{name} {new string(' ', BarColumns)}|[{color}]{bar}[/]");
        }
        console.WriteLine();
    }

    /// <summary>Three digits, or as many as a whole number has.</summary>
    private static string Digits(double value) =>
        value >= 100 ? Text($"{value:0}") : value >= 10 ? Text($"{value:0.0}") : Text($"{value:0.00}");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
