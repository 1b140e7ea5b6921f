using System.CommandLine;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>The entry point of the tool, which tests call in the test process.</summary>
internal static class SluiceTool
{
    private const string Replays = "Replays of published experiments";

    // Response files ("@name") are turned off, because a file may have such a name.
    private static readonly ParserConfiguration Parsing = new() { ResponseFileTokenReplacer = null };

    private static ToolCommand[] Commands =>
    [
        new("Measure", "speed", "Measure rate and latency of reads and writes of a file, as in -t30.",
            ["speed -t10 a.dat", "speed -d -a32 -b4K -s100 --engine both a.dat"],
            Runs(SpeedOptions.Define, static (o, c) => new SpeedCommand(o, c).RunAsync),
            Failed: "an I/O error, or other bytes than were there (--verify)"),
        new("Measure", "bench", "Compare Sluice with .NET's own I/O on a disk, row by row.",
            ["bench .", "bench --suite handle --json r.json"],
            Runs(BenchOptions.Define, static (o, c) => new BenchCommand(o, c).RunAsync),
            Done: "done, also where rows are slower"),
        new("Measure", "doctor", "Show what machine and file system allow, and what Sluice uses.",
            ["doctor", "doctor --json d.json ."], DoctorCommand.Define,
            Done: "done, also where nothing can be tried"),
        new("Measure", "advise", "Measure for a minute, and recommend ways to read and write.",
            ["advise .", "advise --quick --html advice.html"], AdviseCommand.Define),
        new("Measure", "ops", "Time the five operations of a file: open, read, write, seek, close.",
            ["ops", "ops --size 1M --rounds 7 ."], OpsCommand.Define,
            Failed: "an I/O error, or other bytes read than were written"),
        new("Files", "copy", "Copy files and folders by the cheapest way that works.",
            ["copy -a --verify --exclude '*.o' . ../backup", "copy --demo --size 256M"],
            Runs(CopyCommandOptions.Define, static (o, c) => new CopyCommand(o, c).RunAsync),
            Failed: "something was not copied: an I/O error, or an existing file that is not to be replaced",
            Refused: "a wrong command line, or an existing result that is not to be replaced"),
        new("Files", "merge", "Add up the JSON results of a copy's shards.",
        [
            "merge shard*.json",
            "copy -r --shard 0/1 --json 0.json . ../all; sluice merge --html all.html 0.json",
        ],
            MergeCommand.Define,
            Failed: "one of them has no result, failed or was interrupted, or cannot be read",
            Refused: "a wrong command line, results that are not of one run, or an existing result that is not to be replaced"),
        new("Files", "extents", "Show where files lie on their device, and how fragmented they are.",
            ["extents .", "extents --sync --html extents.html ."],
            ExtentsCommand.Define,
            Failed: "an I/O error, or the file system does not tell"),
        new("Files", "frag", "Age a volume: fill it, delete at random, again and again (-f70).",
            ["frag --dry-run --budget 100M -Fm1 -FM8 -n2 .", "frag --cleanup ."],
            Runs(FragOptions.Define, static (o, c) => new FragCommand(o, c).RunAsync),
            Failed: "an I/O error, or something else is in the folder that was to be removed",
            Refused: "a wrong command line, or not confirmed"),
        new("Files", "log", "Load a log with many threads; show, check and cut a log.",
            ["log --threads 10 --time 5 --html load.html .", "log tail -f ."],
            Runs(LogOptions.Define, static (o, c) => new LogCommand(o, c).RunAsync),
            Failed: "an I/O error, no log, a damaged one (verify), or a record that was lost (load)"),
        new("Compare", "compare", "Compare the JSON results of two runs: what changed beyond noise.",
            [
                "ops --json a.json; sluice ops --json b.json; sluice compare a.json b.json",
                "extents --json a.json .; sluice extents --json b.json .; sluice compare --html c.html a.json b.json",
            ],
            CompareCommand.Define,
            Done: "done, whatever has changed",
            Failed: "a file cannot be read or written",
            Refused: "a wrong command line, no results of one command, or an existing result that is not to be replaced"),
        new(Replays, "figures", "Figures 2 to 8 of MSR-TR-2004-136: bandwidth, CPU, request size.",
            ["figures --quick", "figures --figure 2,3 --html f.html ."], FiguresCommand.Define),
        new(Replays, "tables", "The tables of the .NET 6 text about FileStream.",
            ["tables --table readasync", "tables --html t.html"], TablesCommand.Define),
        new(Replays, "examples", "Read and write by byte, line and block; --show prints the code.",
            ["examples", "examples --show write-block-direct"],
            ExamplesCommand.Define,
            Failed: "an I/O error, or a wrong result"),
        new(Replays, "methods", "Every way of reading and writing a whole text file.",
            ["methods", "methods --read --json m.json ."],
            MethodsCommand.Define,
            Failed: "an I/O error, or a wrong result"),
    ];

    /// <returns>The exit code: 0, 1 after an I/O error, 2 after a wrong command line, 130 when interrupted.</returns>
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken = default)
    {
        int exitCode;
        try
        {
            exitCode = await Parse(arguments, terminal, cancellationToken)();
        }
        catch (UsageException e)
        {
            exitCode = Fail(terminal, e.Message, ExitCode.Usage);
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            exitCode = Fail(terminal, "interrupted", ExitCode.Interrupted);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or OutOfMemoryException
            or ArgumentException)
        {
            exitCode = Fail(terminal, ErrorText.Of(e), ExitCode.IoError);
        }
        catch (RowSkippedException e)
        {
            exitCode = Fail(terminal, $"not measured: {e.Message}", ExitCode.IoError);
        }
#pragma warning disable CA1031 // A mistake of ours: a user is not helped by a stack trace, and the next shell command needs an exit code.
        catch (Exception e)
        {
            exitCode = Fail(terminal, $"internal error, please report it: {e.GetType().Name}: {e.Message}", ExitCode.IoError);
        }
#pragma warning restore CA1031
        foreach (string message in terminal.LateErrors)
            terminal.WriteError(message);
        return exitCode == ExitCode.Success && terminal.LateErrors.Count > 0 ? ExitCode.IoError : exitCode;
    }

    /// <summary>Parses a command line and checks its options.</summary>
    /// <returns>The function that runs the command and returns the exit code.</returns>
    /// <exception cref="UsageException">The command line is invalid.</exception>
    internal static Func<Task<int>> Parse(
        IReadOnlyList<string> arguments, TerminalStreams terminal, CancellationToken cancellationToken)
    {
        if (Environment.GetEnvironmentVariable("SLUICE_ENGINE") is { Length: > 0 } engine
            && !engine.Equals("uring", StringComparison.OrdinalIgnoreCase) && !engine.Equals("pool", StringComparison.OrdinalIgnoreCase))
        {
            throw new UsageException($"the environment variable SLUICE_ENGINE is '{engine}'; it may be uring, pool or empty");
        }
        PathArgument.RequireUtf8(arguments);
        if (arguments is ["--version"])
            return Prints(() => terminal.WriteLine(EnvironmentProbe.Version));
        ToolCommand[] commands = Commands;
        // Users try "help NAME" before they know that the option is --help.
        if (arguments is ["help", ..])
            arguments = [.. arguments.Skip(1), "--help"];
        if (arguments is ["--help" or "-h" or "-?", ..])
            return Prints(() => ToolCommand.WriteOverview(terminal, commands));
        if (arguments.Count == 0)
            throw new UsageException("no command; try: sluice speed FILE, sluice bench, sluice copy, sluice --help");
        ToolCommand command = Array.Find(commands, c => c.Name == arguments[0]) ?? throw new UsageException(
            $"unknown {(arguments[0].StartsWith('-') ? "option" : "command")} '{arguments[0]}'; commands are {string.Join(", ", commands.Select(c => c.Name))}");
        return Bind(command, arguments, terminal, cancellationToken);
    }

    private static Func<Task<int>> Bind(
        ToolCommand command, IReadOnlyList<string> typed, TerminalStreams terminal, CancellationToken cancellationToken)
    {
        var parsed = new Command(command.Name, command.Description);
        var options = new OptionList(parsed);
        CommandBinder bind = command.Define(options);
        Func<ParseResult, PageOutput> outputOf = PageOutput.Define(options);
        List<string> arguments = [command.Name, .. options.Expand([.. typed.Skip(1)])];
        // RootCommand adds the option --help, and the name of the tool to its text.
        Command root = arguments.Contains("--help") ? new RootCommand { parsed } : parsed;
        ParseResult result = root.Parse(arguments, Parsing);
        if (result.Action is not System.CommandLine.Help.HelpAction)
        {
            if (result.Errors.Count > 0)
                throw new UsageException(result.Errors[0].Message.ReplaceLineEndings(" "));
            PageOutput output = outputOf(result);
            return bind(result, new CommandContext(typed, output.StreamsFor(terminal), output, cancellationToken));
        }
        return Prints(() =>
        {
            result.Invoke(new InvocationConfiguration { Output = terminal.Out, Error = terminal.Error });
            command.WriteExamples(terminal);
        });
    }

    private static Func<Task<int>> Prints(Action print) => () =>
    {
        print();
        return Task.FromResult(ExitCode.Success);
    };

    /// <summary>Defines a command whose options are converted to an object before it runs.</summary>
    private static Func<OptionList, CommandBinder> Runs<TOptions>(
        Func<OptionList, Func<ParseResult, TOptions>> define, Func<TOptions, CommandContext, Func<Task<int>>> run) => command =>
    {
        Func<ParseResult, TOptions> bind = define(command);
        return (result, context) => run(bind(result), context);
    };

    private static int Fail(TerminalStreams terminal, string message, int exitCode)
    {
        terminal.WriteError(message);
        return exitCode;
    }
}
