using System.CommandLine;
using System.Runtime.ExceptionServices;
using Sluice.Cli.Report.Html;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Report.Pages;

/// <summary>
/// The result files of a command, which <see cref="CommandContext"/> contains. Example of a command that reports a page:
/// <code>
/// context.Output.Check(context.Terminal);            // before the measurement: asks whether to replace files, or throws
/// ReportPage page = new() { Title = ..., CommandLine = ReportPage.CommandLineOf(context.Arguments), Began = ..., Sections = [...] };
/// PageText.Write(context.Terminal, page);            // the tables
/// context.Output.Write(context.Terminal, page);      // the files
/// </code>
/// A command with its own JSON or CSV format passes a method that writes it to Write.
/// </summary>
/// <param name="Named">The result files on the command line.</param>
/// <param name="Overwrite">True to replace existing result files without confirmation.</param>
/// <param name="IsWide">True to print tables with all their columns, whatever the width of the terminal.</param>
internal sealed record PageOutput(IReadOnlyList<NamedResult> Named, bool Overwrite = false, bool IsWide = false)
{
    /// <summary>The file name that stands for stdout.</summary>
    private const string StandardOutput = "-";

    // The files that did not exist when the command began. If one of them exists at the end, another process has created it.
    private readonly HashSet<string> _missing = new(StringComparer.Ordinal);

    /// <summary>The results that are files, without stdout.</summary>
    public IEnumerable<NamedResult> Files => Named.Where(n => n.Path != StandardOutput);

    /// <summary>Adds --json, --html, --csv, --overwrite and --wide to a command.</summary>
    public static Func<ParseResult, PageOutput> Define(OptionList command)
    {
        Option<string>[] files =
        [
            command.Value("--json", null, "file", "Also write the result as JSON; - is stdout, the text then goes to stderr (none)."),
            command.Value("--html", null, "file", "Also write the result as one self-contained page with charts (none)."),
            command.Value("--csv", null, "file", "Also write the result as CSV (none)."),
        ];
        Option<bool> overwrite = command.Flag("--overwrite", null, "Replace existing result files without asking.");
        Option<bool> wide = command.Flag(
            "--wide", null, "In a terminal, print tables with all their columns, however long the lines become.");
        return result => new PageOutput(
            [.. files.Where(f => result.GetValue(f) is not null).Select(f => new NamedResult(f.Name, result.GetValue(f)!))],
            result.GetValue(overwrite), result.GetValue(wide));
    }

    /// <summary>Returns the streams of a command: stdout is kept for a result whose file is "-".</summary>
    public TerminalStreams StreamsFor(TerminalStreams terminal) =>
        (Named.Any(n => n.Path == StandardOutput) ? terminal.KeepingOutput() : terminal) with { IsWide = IsWide };

    /// <summary>Returns the option that specifies this file, under any of its names; null if there is none.</summary>
    public string? OptionNaming(string path) =>
        Files.Where(n => EnvironmentProbe.RealPathOf(n.Path) == EnvironmentProbe.RealPathOf(path) || PathKinds.AreSame(n.Path, path))
            .Select(n => n.Option).FirstOrDefault();

    /// <summary>Checks, before the measurement, that the result files can be written.</summary>
    /// <param name="subject">The file that the command is about, which must not be a result; null if there is none.</param>
    /// <exception cref="UsageException">
    /// An existing file must not be replaced, two results are the same file, or a result is a folder, a block device or the subject.
    /// </exception>
    /// <exception cref="IOException">A file cannot be written.</exception>
    public void Check(TerminalStreams terminal, string? subject = null)
    {
        if (subject is not null && OptionNaming(subject) is { } naming)
            throw new UsageException($"{naming} names {subject}, which cannot also be the result");
        var places = new HashSet<string>(StringComparer.Ordinal);
        if (Named.Select(n => n.Path).FirstOrDefault(path => !places.Add(PlaceOf(path))) is { } twice)
            throw new UsageException($"{twice} is named for two results");
        foreach ((string option, string path) in Files)
        {
            PathKind kind = PathKinds.Of(path);
            if (kind == PathKind.BlockDevice)
                throw new UsageException($"{option}: {path} is a block device, and no place for a result");
            if (Directory.Exists(path))
                throw new UsageException($"{option}: {path} is a folder");
            // Pipes and /dev/null are not checked: they contain nothing to lose, and opening a pipe for a test would end its reader.
            if (kind == PathKind.Other)
                continue;
            bool exists = File.Exists(path);
            if (!Overwrite && exists)
                terminal.RequireConsent(path, $"{path} exists. Replace it?", $"{path} exists: replacing it needs --overwrite");
            JsonFile.CheckWritable(path, exists);
            if (!exists)
                _missing.Add(path);
        }
    }

    /// <summary>
    /// Returns the path that identifies a result. Devices and pipes are identified by their names, because /dev/stdout and /dev/stderr may
    /// be one terminal.
    /// </summary>
    private static string PlaceOf(string path) =>
        path == StandardOutput || PathKinds.Of(path) == PathKind.Other ? Path.GetFullPath(path) : EnvironmentProbe.RealPathOf(path);

    /// <summary>Writes all result files. If one fails, the others are still written.</summary>
    /// <exception cref="IOException">A result cannot be written. This is the last error; earlier ones are printed.</exception>
    public void Write(
        TerminalStreams terminal, ReportPage page, Action<TextWriter>? json = null, Action<TextWriter>? csv = null)
    {
        ExceptionDispatchInfo? failure = null;
        Write("--json", json ?? (writer => JsonFile.Write(writer, page, PageJsonContext.Default.ReportPage)));
        Write("--csv", csv ?? (writer => PageCsv.Write(writer, page)));
        Write("--html", writer => HtmlReport.Write(writer, page, HtmlAssets.UplotScript));
        failure?.Throw();

        void Write(string option, Action<TextWriter> write)
        {
            try
            {
                foreach (NamedResult result in Named.Where(n => n.Option == option))
                    WriteOne(result.Path, write);
            }
            // ArgumentOutOfRangeException: the limit of the file size (EFBIG).
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or ArgumentOutOfRangeException)
            {
                // The last error is thrown, and earlier ones are printed.
                if (failure is not null)
                    terminal.WriteError(ErrorText.Of(failure.SourceException));
                failure = ExceptionDispatchInfo.Capture(e);
            }
        }

        void WriteOne(string path, Action<TextWriter> write)
        {
            if (path == StandardOutput)
            {
                terminal.WriteData(write, isResult: true);
                return;
            }
            var content = new MemoryStream();
            using (var writer = new StreamWriter(content, leaveOpen: true) { NewLine = "\n" })
                write(writer);
            JsonFile.WriteWhole(path, content.GetBuffer().AsSpan(0, (int)content.Length), mustBeNew: _missing.Contains(path));
        }
    }
}

/// <summary>A result file on the command line. A class, since code for lists of tuples is compiled at the start of the tool.</summary>
/// <param name="Option">The option that names the file.</param>
internal sealed record NamedResult(string Option, string Path);
