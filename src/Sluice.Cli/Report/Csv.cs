using System.Globalization;

namespace Sluice.Cli.Report;

/// <summary>Formats comma-separated lines (RFC 4180). Numbers have a decimal point in every culture.</summary>
internal static class Csv
{
    public static string Line(params IEnumerable<object?> values) => string.Join(',', values.Select(Cell));

    private static string Cell(object? value)
    {
        string text = value switch
        {
            null => "",
            double number => number.ToString("0.####", CultureInfo.InvariantCulture),
            bool flag => flag ? "true" : "false",
            IFormattable other => other.ToString(null, CultureInfo.InvariantCulture),
            _ => value.ToString() ?? "",
        };
        return text.AsSpan().IndexOfAny(",\"\r\n") < 0 ? text : $"\"{text.Replace("\"", "\"\"", StringComparison.Ordinal)}\"";
    }
}
