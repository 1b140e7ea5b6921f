using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The whole tool behind one call, so that tests run it in their own process.</summary>
internal static class SluiceTool
{
    private const string Replays = "Replays of published experiments";

    // A response file ("@name") is not among the documented forms, and a file may be called that.
    private static readonly ParserConfiguration Parsing = new() { ResponseFileTokenReplacer = null, EnablePosixBundling = false };

    /// <returns>The exit code: 0, 1 after an I/O error, 2 after a wrong command line, 130 when interrupted.</returns>
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken = default)
    {
        int exitCode = await TryAsync(arguments, terminal, cancellationToken);
        foreach (string message in terminal.LateErrors)
            terminal.WriteError(message);
        return exitCode == ExitCode.Success && terminal.LateErrors.Count > 0 ? ExitCode.IoError : exitCode;
    }

    private static async Task<int> TryAsync(
        IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
    {
        try
        {
            return await DispatchAsync(arguments, terminal, cancellationToken);
        }
        catch (UsageException e)
        {
            return Fail(terminal, e.Message, ExitCode.Usage);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            return Fail(terminal, "interrupted", ExitCode.Interrupted);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or OutOfMemoryException
            or ArgumentException)
        {
            return Fail(terminal, ErrorText.Of(e), ExitCode.IoError);
        }
        catch (RowSkippedException e)
        {
            return Fail(terminal, $"not measured: {e.Message}", ExitCode.IoError);
        }
#pragma warning disable CA1031 // A mistake of ours: a user is not helped by a stack trace, and the next shell command needs an exit code.
        catch (Exception e)
        {
            return Fail(terminal, $"internal error, please report it: {e.GetType().Name}: {e.Message}", ExitCode.IoError);
        }
#pragma warning restore CA1031
    }

    private static async Task<int> DispatchAsync(IReadOnlyList<string> arguments, TerminalStreams terminal,
        CancellationToken cancellationToken)
    {
        if (Environment.GetEnvironmentVariable("SLUICE_ENGINE") is { Length: > 0 } engine
            && !engine.Equals("uring", StringComparison.OrdinalIgnoreCase) && !engine.Equals("pool", StringComparison.OrdinalIgnoreCase))
        {
            throw new UsageException($"the environment variable SLUICE_ENGINE is '{engine}'; it may be uring, pool or empty");
        }
        if (PageOutput.TakesStandardOutput(arguments))
            terminal = terminal.KeepingOutput();
        if (PageOutput.IsWide(arguments))
            terminal = terminal.Widened();
        var root = new RootCommand("Measures a disk, ages it, compares Sluice with System.IO on it, and copies files.");
        CommandList commands = Define(root, arguments, terminal);
        // "help NAME" is what one types who does not know yet whether it is --help or -h.
        if (arguments.Count > 0 && arguments[0] == "help")
            arguments = [.. arguments.Skip(1), "--help"];
        IReadOnlyList<OptionSyntax>? syntax = arguments.Count == 0 ? null : commands.SyntaxOf(arguments[0]);
        if (syntax is null && (arguments.Count == 0 || arguments[0] is not ("--help" or "-h" or "-?" or "--version")))
        {
            throw new UsageException(arguments.Count == 0
                ? "no command; try: sluice speed FILE, sluice bench, sluice copy, sluice --help"
                : $"unknown command '{arguments[0]}'; there are {string.Join(", ", commands.Names)}");
        }
        // .NET has put a sign in the place of bytes that are no text: that name is another file's, or nobody's.
        if (arguments.FirstOrDefault(a => a.Contains('\uFFFD', StringComparison.Ordinal)) is { } noText)
            throw new UsageException($"'{noText}' is no text in UTF-8: name the folder that it is in");
        if (syntax is null && arguments[0] != "--version")
        {
            commands.WriteOverview(terminal);
            return ExitCode.Success;
        }
        IReadOnlyList<string> rewritten = syntax is null
            ? [.. arguments]
            : [arguments[0], .. new ArgumentRewriter(syntax).Rewrite([.. arguments.Skip(1)])];

        ParseResult result = root.Parse(rewritten, Parsing);
        if (result.Errors.Count > 0 && result.Action is not System.CommandLine.Help.HelpAction)
            throw new UsageException(result.Errors[0].Message.ReplaceLineEndings(" "));
        // Exceptions and signals are handled here, not in the library, which would print a stack trace.
        var invocation = new InvocationConfiguration
        {
            Output = terminal.Out,
            Error = terminal.Error,
            EnableDefaultExceptionHandler = false,
            ProcessTerminationTimeout = null,
        };
        int exitCode = await result.InvokeAsync(invocation, cancellationToken);
        if (result.Action is System.CommandLine.Help.HelpAction)
            commands.WriteExamples(terminal, arguments[0]);
        return exitCode;
    }

    private static CommandList Define(RootCommand root, IReadOnlyList<string> arguments, TerminalStreams terminal)
    {
        var commands = new CommandList(root);
        commands.Add(
            "Measure", "speed",
            "Measure rate and latency of reads and writes of files, as in -t30.",
            ["speed -t10 a.dat", "speed -d -a32 -b4K -s100 --engine both a.dat"],
            SpeedOptions.Define, (options, token) => new SpeedCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Failed: "an I/O error, or other bytes than were there (--verify)"));
        commands.Add(
            "Measure", "bench", "Compare Sluice with .NET's own I/O on a disk, row by row.",
            ["bench .", "bench --suite handle --json r.json"],
            BenchOptions.Define, (options, token) => new BenchCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Done: "done, also where rows are slower"));
        commands.Add(
            "Measure", "doctor", "Show what machine and file system allow, and what Sluice uses.",
            ["doctor", "doctor --json d.json ."],
            DoctorOptions.Define, (options, token) => new DoctorCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Done: "done, also where nothing can be tried"));
        commands.Add(
            "Measure", "advise", "Measure for a minute, and recommend ways to read and write.",
            ["advise .", "advise --quick --html advice.html"],
            AdviseOptions.Define, (options, token) => new AdviseCommand(options, arguments, terminal, token).RunAsync());
        commands.Add(
            "Measure", "ops", "Time the five operations of a file: open, read, write, seek, close.",
            ["ops", "ops --size 1M --rounds 7 ."],
            OpsOptions.Define, (options, token) => new OpsCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Failed: "an I/O error, or other bytes read than were written"));
        commands.Add(
            "Files", "copy", "Copy files and folders by the cheapest way that works.",
            ["copy -a --verify --exclude '*.o' . ../backup", "copy --demo --size 256M"],
            CopyCommandOptions.Define, (options, token) => new CopyCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(
                Failed: "something was not copied: an I/O error, or it is there and nobody agreed that it is replaced",
                Refused: "a wrong command line, or nobody agreed that a result is replaced"));
        commands.Add(
            "Files", "merge", "Add up the JSON results of a copy's shards, or of speed's ranks.",
            [
                "speed -t1 -r64M --shard 0/1 --rendezvous . --json 0.json a.dat; sluice merge 0.json",
                "copy -r --shard 0/1 --json 0.json . ../all; sluice merge --html all.html 0.json",
            ],
            MergeOptions.Define, (options, token) => new MergeCommand(options, arguments, terminal).RunAsync(),
            new CommandEnds(
                Failed: "one of them has no result, failed or was interrupted, or cannot be read",
                Refused: "a wrong command line, results that are not of one run, or nobody agreed that a result is replaced"));
        commands.Add(
            "Files", "extents", "Show where files lie on their device, and how fragmented they are.",
            ["extents .", "extents --sync --html map.html ."],
            ExtentsOptions.Define, (options, token) => new ExtentsCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Failed: "an I/O error, or the file system does not tell"));
        commands.Add(
            "Files", "frag",
            "Age a volume: fill it, delete at random, again and again (-f70).",
            ["frag --dry-run --budget 100M -Fm1 -FM8 -n2 .", "frag --cleanup ."],
            FragOptions.Define, (options, token) => new FragCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(
                Failed: "an I/O error, or something else is in the folder that was to be removed",
                Refused: "a wrong command line, or nobody agreed"));
        commands.Add(
            "Files", "log", "Load a log with many threads; show, check and cut a log.",
            ["log --threads 10 --time 5 --html load.html .", "log tail -f ."],
            LogOptions.Define, (options, token) => new LogCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Failed: "an I/O error, no log, a damaged one (verify), or a record that was lost (load)"));
        commands.Add(
            "Compare", "compare", "Compare the JSON results of two runs: what changed beyond noise.",
            [
                "ops --json a.json; sluice ops --json b.json; sluice compare a.json b.json",
                "extents --json a.json .; sluice extents --json b.json .; sluice compare --html c.html a.json b.json",
            ],
            CompareOptions.Define, (options, _) => new CompareCommand(options, arguments, terminal).RunAsync(),
            new CommandEnds(
                Done: "done, whatever has changed", Failed: "a file cannot be read or written",
                Refused: "a wrong command line, no results of one command, or nobody agreed that a result is replaced"));
        commands.Add(
            Replays, "figures", "Figures 2 to 8 of MSR-TR-2004-136: bandwidth, CPU, request size.",
            ["figures --quick", "figures --figure 2,3 --html f.html ."],
            FiguresOptions.Define, (options, token) => new FiguresCommand(options, arguments, terminal, token).RunAsync());
        commands.Add(
            Replays, "tables", "The tables of the .NET 6 text about FileStream.",
            ["tables --table readasync", "tables --html t.html"],
            TablesOptions.Define, (options, token) => new TablesCommand(options, arguments, terminal, token).RunAsync());
        commands.Add(
            Replays, "examples",
            "Read and write by byte, line and block; --show prints the code.",
            ["examples", "examples --show write-block-direct"],
            ExamplesOptions.Define, (options, token) => new ExamplesCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Failed: "an I/O error, or a wrong result"));
        commands.Add(
            Replays, "methods", "Every way of reading and writing a whole text file.",
            ["methods", "methods --read --json m.json ."],
            MethodsOptions.Define, (options, token) => new MethodsCommand(options, arguments, terminal, token).RunAsync(),
            new CommandEnds(Failed: "an I/O error, or a wrong result"));
        return commands;
    }

    private static int Fail(TerminalStreams terminal, string message, int exitCode)
    {
        terminal.WriteError(message);
        return exitCode;
    }
}
