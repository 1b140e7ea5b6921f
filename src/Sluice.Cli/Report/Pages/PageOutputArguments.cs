using System.CommandLine;
using Sluice.Cli.Commands;

namespace Sluice.Cli.Report.Pages;

/// <summary>--json, --html, --csv and --force, for any command that reports.</summary>
internal sealed class PageOutputArguments
{
    private readonly Option<string> _json;
    private readonly Option<string> _html;
    private readonly Option<string>? _csv;
    private readonly Option<bool> _force;

    /// <param name="force">The command's own --force, where it has one; it then covers the result files too.</param>
    /// <param name="hasCsv">False where no part of the result is a plain table.</param>
    public PageOutputArguments(OptionList options, Option<bool>? force = null, bool hasCsv = true)
    {
        _json = options.Value("--json", null, "file", "Also write the result as JSON.");
        _html = options.Value("--html", null, "file", "Also write the result as one self-contained page with charts.");
        _csv = hasCsv ? options.Value("--csv", null, "file", "Also write the result as CSV.") : null;
        _force = force ?? options.Flag("--force", null, "Replace result files that are there without asking.");
    }

    public PageOutput Bind(ParseResult result) => new()
    {
        JsonPath = result.GetValue(_json),
        HtmlPath = result.GetValue(_html),
        CsvPath = _csv is null ? null : result.GetValue(_csv),
        Force = result.GetValue(_force),
    };
}
