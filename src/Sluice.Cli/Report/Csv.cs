namespace Sluice.Cli.Report;

/// <summary>Formats comma-separated lines (RFC 4180).</summary>
internal static class Csv
{
    public static string Line(params IEnumerable<object?> values) => string.Join(',', values.Select(Cell));

    private static string Cell(object? value)
    {
        string text = value switch
        {
            double number => $"{number:0.####}",
            bool flag => flag ? "true" : "false",
            _ => $"{value}",
        };
        return text.AsSpan().IndexOfAny(",\"\r\n") < 0 ? text : $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }
}
