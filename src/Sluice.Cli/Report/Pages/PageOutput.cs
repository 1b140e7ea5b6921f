using Sluice.Cli.Commands;
using Sluice.Cli.Report.Html;
using Sluice.Interop;

namespace Sluice.Cli.Report.Pages;

/// <summary>
/// The result files that a command line names. A command that reports a page uses it so:
/// <code>
/// _output = new PageOutputArguments(options);        // in the constructor of its XArguments: adds --json, --html, --csv, --force
/// Output = _output.Bind(result)                      // in Bind, into its XOptions
/// options.Output.Check(terminal);                    // before it measures: may each file be written? Asks, or throws
/// ReportPage page = new() { Title = ..., CommandLine = ReportPage.CommandLineOf(arguments), Began = ..., Sections = [...] };
/// PageText.Write(terminal, page);                    // tables, and in a terminal its bar charts
/// options.Output.Write(page);                        // the files
/// </code>
/// A command with a JSON or CSV form of its own hands in how it is written. Register the command in SluiceTool as all are.
/// </summary>
internal sealed record PageOutput
{
    public string? JsonPath { get; init; }

    public string? HtmlPath { get; init; }

    public string? CsvPath { get; init; }

    /// <summary>Replace result files that are there without asking.</summary>
    public bool Force { get; init; }

    /// <summary>The files, each with the option that names it.</summary>
    public IEnumerable<(string Option, string Path)> Named =>
        from named in new (string Option, string? Path)[] { ("--json", JsonPath), ("--html", HtmlPath), ("--csv", CsvPath) }
        where named.Path is not null
        select (named.Option, named.Path);

    /// <summary>Before minutes of measuring rather than after them.</summary>
    /// <exception cref="UsageException">A file is there and must not be replaced, or two of the files are one.</exception>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public void Check(Terminal terminal)
    {
        foreach (IGrouping<string, string> same in Named.Select(n => n.Path).GroupBy(Path.GetFullPath).Where(g => g.Count() > 1))
            throw new UsageException($"{same.First()} is named for two results");
        foreach ((string _, string path) in Named)
        {
            // A pipe or /dev/null keeps nothing that could be lost.
            if (!Force && File.Exists(path) && PathProbe.KindOf(path, out _) is PathKind.RegularFile or PathKind.Unknown)
                AskToReplace(terminal, path);
            JsonFile.CheckWritable(path);
        }
    }

    public void Write(ReportPage page, Action<string>? json = null, Action<string>? csv = null)
    {
        if (JsonPath is not null)
        {
            if (json is null)
                JsonFile.Write(JsonPath, page, ReportJsonContext.Default.ReportPage);
            else
                json(JsonPath);
        }
        if (CsvPath is not null)
        {
            if (csv is null)
                PageCsv.Write(CsvPath, page);
            else
                csv(CsvPath);
        }
        if (HtmlPath is not null)
            HtmlReport.Write(HtmlPath, page);
    }

    private static void AskToReplace(Terminal terminal, string path)
    {
        if (!terminal.IsInputTerminal)
            throw new UsageException($"{path} exists: replacing it needs --force");
        if (!terminal.Confirm($"{path} exists. Replace it?"))
            throw new UsageException($"{path} left as it was");
    }
}
