using System.Buffers;
using System.Text.Json.Serialization;

namespace Sluice.Cli.Report.Pages;

/// <summary>
/// The results of a command in a form that does not depend on the command. <see cref="PageText"/> prints it, and <see cref="PageOutput"/>
/// writes it as JSON (this record), CSV and one HTML page.
/// </summary>
internal sealed record ReportPage
{
    private static readonly SearchValues<char> NeedNoQuotes =
        SearchValues.Create("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789%+,-./:=@_");

    public int FormatVersion { get; init; } = 1;

    public required string Title { get; init; }

    /// <summary>The command line that repeats the run; see <see cref="CommandLineOf"/>.</summary>
    public required string CommandLine { get; init; }

    public required DateTimeOffset Began { get; init; }

    public EnvironmentRecord? Environment { get; init; }

    /// <summary>The information that is needed to read the values: how they were measured, and what was left out and why.</summary>
    public IReadOnlyList<string> Notes { get; init; } = [];

    public required IReadOnlyList<PageSection> Sections { get; init; }

    public static string CommandLineOf(IEnumerable<string> arguments) =>
        string.Join(' ', arguments.Prepend("sluice").Select(a => a.Length == 0 || a.AsSpan().ContainsAnyExcept(NeedNoQuotes)
            ? $"'{a.Replace("'", @"'\''", StringComparison.Ordinal)}'"
            : a));
}

[JsonSourceGenerationOptions(
    WriteIndented = true, PropertyNamingPolicy = JsonKnownNamingPolicy.CamelCase, RespectNullableAnnotations = true,
    RespectRequiredConstructorParameters = true)]
[JsonSerializable(typeof(ReportPage))]
internal sealed partial class PageJsonContext : JsonSerializerContext;
