using System.Globalization;
using System.Text.Json.Serialization;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Report.Pages;

/// <param name="Text">The displayed text.</param>
/// <param name="Value">The value for sorting and CSV; null in columns of text.</param>
internal sealed record PageCell(string Text, double? Value = null)
{
    public static PageCell Empty { get; } = new("");

    // NaN and infinity become null, because JSON does not have them. A missing value is sorted last.
    public double? Value { get; init; } = Value is { } number && double.IsFinite(number) ? number : null;

    /// <summary>The values in the rounds, whose median is the value, for `compare`; null if there are fewer than two rounds.</summary>
    [JsonIgnore(Condition = JsonIgnoreCondition.WhenWritingNull)]
    public IReadOnlyList<double>? Samples { get; init; }

    public static implicit operator PageCell(string? text) => text is null ? Empty : new PageCell(text);

    public static implicit operator PageCell(double number) => Of(number);

    public static implicit operator PageCell(double? number) => Of(number);

    public static implicit operator PageCell(long number) => new($"{number:#,0}", number);

    /// <summary>Returns a cell with the number in the given format, or with about three significant digits.</summary>
    public static PageCell Of(double number, string? format = null) =>
        new(number.ToString(format ?? FormatFor(number), CultureInfo.InvariantCulture), number);

    /// <summary>Returns a cell with the number; an empty cell for null.</summary>
    public static PageCell Of(double? number, string? format = null) => number is { } n ? Of(n, format) : Empty;

    /// <summary>Returns a cell with a ratio; an empty cell for null. By the convention of the tool, a ratio above 1 is better.</summary>
    public static PageCell Ratio(double? ratio) => Of(ratio, "0.00");

    /// <summary>Returns a cell with a number of bytes, such as 1.5 MiB.</summary>
    public static PageCell Size(long bytes) => new(ByteSize.Format(bytes), bytes);

    /// <summary>Returns the same cell with the values in the rounds, if there are at least two finite ones.</summary>
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
