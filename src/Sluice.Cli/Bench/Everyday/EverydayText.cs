using System.Globalization;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Bench.Everyday;

/// <summary>A run of everyday work as text of 80 columns: a line for each row, in a terminal a bar for each, and one line of summary.</summary>
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

    /// <summary>How many rows are faster, even and slower, and the one that is the lowest; never the one that is the highest.</summary>
    public static string Summary(BenchReport report)
    {
        string missing = report.Skipped.Count > 0 ? $", {report.Skipped.Count} not measured" : "";
        string ended = report.Interrupted ? "interrupted: " : report.Failure is not null ? "ended by an error: " : "";
        if (report.Quick)
        {
            return $"{ended}{Counted.Of(report.Rows.Count, "row")} with right results{missing}; "
                + "a quick run measures nothing";
        }
        RowReport[] told = [.. report.Rows.Where(r => r.Verdict.Length > 0)];
        int untold = report.Rows.Count - told.Length;
        string few = untold > 0 ? $", {untold} of too few pairs" : "";
        string counts = $"{told.Count(r => r.Verdict == RowReport.Faster)} faster, {told.Count(r => r.Verdict == RowReport.Even)} even, "
            + $"{told.Count(r => r.Verdict == RowReport.Slower)} slower{few}{missing}";
        string worst = report.Rows.MinBy(r => r.Ratio) is { } lowest ? $"; lowest: {lowest.Name}, {Ratio(lowest.Ratio)}" : "";
        return ended + counts + worst;
    }

    /// <summary>The ratio and its interval, or how many pairs there were, which are too few for one.</summary>
    public static string RatioCell(RowReport row) => row is { RatioLow: { } low, RatioHigh: { } high }
        ? $"{Ratio(row.Ratio)} ({Ratio(low)}-{Ratio(high)})"
        : $"{Ratio(row.Ratio)} ({Counted.Of(row.RoundRatios.Count, "pair")})";

    /// <summary>A rate in nine columns at most.</summary>
    public static string Rate(double rate, string unit) => unit == "MiB/s"
        ? rate >= 1024 ? Text($"{Digits(rate / 1024)} GiB/s") : Text($"{Digits(rate)} MiB/s")
        : rate >= 1e6 ? Text($"{Digits(rate / 1e6)} M/s")
        : rate >= 1e3 ? Text($"{Digits(rate / 1e3)} k/s")
        : Text($"{Digits(rate)} /s");

    private static void WriteTable(TerminalStreams terminal, BenchReport report)
    {
        var table = new TextTable("", "ratio (95 %)", "Sluice", BenchTable.DotNetName, "verdict") { LeftColumns = new HashSet<int> { 0, 4 } };
        foreach (RowReport row in report.Rows)
        {
            table.Add(row.Name, RatioCell(row), Rate(row.Sluice.Rate, row.Unit), Rate(row.DotNet.Rate, row.Unit), row.Verdict);
        }
        if (report.Rows.Count > 0)
            WriteColored(terminal, table.ToPlainText());
        foreach (SkippedRow row in report.Skipped)
            terminal.WriteLine($"{row.Name}: not measured: {row.Reason}", hang: 2);
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

    /// <summary>Bars from a line at 1, to the left where Sluice is slower; as long as the ratio's logarithm.</summary>
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

    private static string Ratio(double ratio) => ratio >= 100 ? Text($"{ratio:0}") : ratio >= 10 ? Text($"{ratio:0.0}") : Text($"{ratio:0.00}");

    private static string Digits(double value) => value >= 100 ? Text($"{value:0}") : value >= 10 ? Text($"{value:0.0}") : Text($"{value:0.00}");

    private static string Text(FormattableString text) => text.ToString(CultureInfo.InvariantCulture);
}
