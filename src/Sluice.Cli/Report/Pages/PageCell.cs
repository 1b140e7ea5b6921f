using System.Globalization;
using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <param name="Text">As it is shown.</param>
/// <param name="Value">What it is sorted by and what CSV holds; null in columns of text.</param>
internal sealed record PageCell(string Text, double? Value = null)
{
    public static PageCell Empty { get; } = new("");

    // JSON has no NaN; a missing value is sorted last.
    public double? Value { get; init; } = Value is { } number && double.IsFinite(number) ? number : null;

    /// <summary>The rounds of which the value is the median, for `compare`; null if there is one round or none.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<double>? Samples { get; init; }

    public static implicit operator PageCell(string? text) => text is null ? Empty : new PageCell(text);

    public static implicit operator PageCell(double number) => Of(number);

    public static implicit operator PageCell(double? number) => Of(number);

    public static implicit operator PageCell(long number) => new(number.ToString("#,0", CultureInfo.InvariantCulture), number);

    /// <summary>The number in the given format, or with about three significant digits.</summary>
    public static PageCell Of(double number, string? format = null) =>
        new(number.ToString(format ?? FormatFor(number), CultureInfo.InvariantCulture), number);

    /// <summary>An empty cell where there is no number.</summary>
    public static PageCell Of(double? number, string? format = null) => number is { } n ? Of(n, format) : Empty;

    /// <summary>A ratio, of which above 1 is better by the tool's convention.</summary>
    public static PageCell Ratio(double? ratio) => ratio is { } r ? Of(r, "0.00") : Empty;

    /// <summary>Returns the same cell with the rounds of its value.</summary>
    public PageCell With(IEnumerable<double> samples)
    {
        double[] finite = [.. samples.Where(double.IsFinite)];
        return finite.Length < 2 ? this : this with { Samples = finite };
    }

    private static string FormatFor(double number) => Math.Abs(number) switch
    {
        >= 1000 => "#,0",
        >= 100 => "0",
        >= 10 => "0.0",
        >= 0.1 or 0 => "0.00",
        _ => "0.0000",
    };
}
