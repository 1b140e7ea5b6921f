using Sluice.Cli.Terminal;
using Spectre.Console;

namespace Sluice.Cli.Report.Pages;

/// <summary>Writes a page as text: plain columns if piped; frames, bars and colors in a terminal (no colors with NO_COLOR).</summary>
internal static class PageText
{
    private const int LabelWidth = 10;
    private const int ChartWidth = 100;

    // The maximum number of bars: a chart that does not fit on a screen is less useful than the table above it.
    private const int MaxBars = 40;

    // Series of Sluice have cool colors and those of .NET warm ones, as in the HTML page.
    private static readonly Color[] Cool = [Color.Aqua, Color.DodgerBlue1, Color.Green];
    private static readonly Color[] Warm = [Color.Orange1, Color.IndianRed, Color.Orchid];
    private static readonly Color[] Plain = [Color.Grey, Color.SteelBlue, Color.Tan];
    private static readonly string[] DotNetNames = [".NET", "FileStream", "File.", "System.IO", "StreamReader", "StreamWriter"];

    public static void Write(TerminalStreams terminal, ReportPage page)
    {
        WriteTop(terminal, page.Title, page.Environment);
        WriteResult(terminal, page);
    }

    /// <summary>Writes the part that is known before the measurement: the title and the environment.</summary>
    public static void WriteTop(TerminalStreams terminal, string title, EnvironmentRecord? environment)
    {
        terminal.WriteLine(title);
        if (environment is not null)
            WriteFacts(terminal, environment);
        terminal.WriteLine();
    }

    public static void WriteFacts(TerminalStreams terminal, EnvironmentRecord environment)
    {
        foreach ((string label, string text) in environment.Facts())
            terminal.WriteLine($"{label,-LabelWidth}{text}", LabelWidth);
    }

    /// <summary>Writes the results, after <see cref="WriteTop"/>.</summary>
    /// <param name="hasBars">True to show the bar charts of the page in a terminal.</param>
    public static void WriteResult(TerminalStreams terminal, ReportPage page, bool hasBars = true)
    {
        foreach (PageSection section in page.Sections)
        {
            terminal.WriteLine(section.Heading);
            foreach (string paragraph in section.Text?.Split('\n') ?? [])
                terminal.WriteLine(paragraph);
            foreach (PageTable table in section.Tables)
            {
                if (table.Title is { } title)
                    terminal.WriteLine(title);
                (table.IsTurned ? Turned(table) : Upright(table)).WriteTo(terminal);
            }
            foreach (PageChart chart in hasBars ? section.Charts : [])
                WriteBars(terminal, chart);
            terminal.WriteLine();
        }
        foreach (string note in page.Notes)
            terminal.WriteLine($"note: {note}", hang: 2);
    }

    private static TextTable Upright(PageTable table)
    {
        var text = new TextTable([.. table.Columns.Select(c => c.Header)])
        {
            LeftColumns = table.Columns.Index().Where(c => c.Item.Kind != ColumnKind.Number).Select(c => c.Index).ToHashSet(),
        };
        foreach (PageRow row in table.Rows)
            text.Add([.. table.Columns.Select((_, i) => TextAt(row, i))]);
        return text;
    }

    private static TextTable Turned(PageTable table)
    {
        var text = new TextTable(["", .. table.Rows.Select(r => TextAt(r, 0))]);
        foreach ((int column, PageColumn line) in table.Columns.Index().Skip(1))
        {
            string[] cells = [.. table.Rows.Select(r => TextAt(r, column))];
            if (cells.Any(c => c.Length > 0))
                text.Add([line.Header, .. cells]);
        }
        return text;
    }

    private static string TextAt(PageRow row, int column) => column < row.Cells.Count ? row.Cells[column].Text : "";

    // Writes only bar charts, because a terminal has no space for a line of many points. The table has the values.
    public static void WriteBars(TerminalStreams terminal, PageChart chart)
    {
        // Missing values have no bars, so there may be no bar at all.
        int bars = chart.Series.Sum(s => s.Y.Count(y => y is not null));
        if (!terminal.IsOutputTerminal || !terminal.IsUtf8 || chart.Kind != ChartKind.Bar || bars is 0 or > MaxBars)
            return;
        var drawn = new BarChart { Width = Math.Min(ChartWidth, terminal.AnsiOut().Profile.Width), Label = Words(Label(chart)) };
        int longest = chart.Series.Max(s => s.Y.Count);
        Color[] colors = ColorsOf(chart.Series);
        for (int i = 0; i < longest; i++)
        {
            foreach ((int number, ChartSeries series) in chart.Series.Index())
            {
                if (i >= series.Y.Count || series.Y[i] is not { } y)
                    continue;
                string category = chart.X.Categories is { } names && i < names.Count ? names[i]
                    : $"{(series.X.Count > i ? series.X[i] : i)}";
                string name = chart.Series.Count == 1 ? category : $"{category}, {series.Name}";
                drawn.AddItem(Words(name), Significant(y), colors[number]);
            }
        }
        terminal.AnsiOut().Write(drawn);
    }

    private static string Words(string text) => Markup.Escape(TerminalText.Printable(text));

    private static Color[] ColorsOf(IReadOnlyList<ChartSeries> series)
    {
        var used = new Dictionary<Color[], int>();
        return [.. series.Select(s => Next(FamilyOf(s.Name)))];

        Color Next(Color[] family)
        {
            int number = used.GetValueOrDefault(family);
            used[family] = number + 1;
            return family[number % family.Length];
        }
    }

    private static Color[] FamilyOf(string name) =>
        name.StartsWith("Sluice", StringComparison.OrdinalIgnoreCase) ? Cool
        : Array.Exists(DotNetNames, n => name.StartsWith(n, StringComparison.OrdinalIgnoreCase)) ? Warm
        : Plain;

    // Rounds to three significant digits.
    private static double Significant(double value) =>
        value == 0 ? 0 : Math.Round(value, Math.Clamp(2 - (int)Math.Floor(Math.Log10(Math.Abs(value))), 0, 9));

    private static string Label(PageChart chart) => chart.Y.Unit is { } unit ? $"{chart.Title} ({unit})" : chart.Title;
}
