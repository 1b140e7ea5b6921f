using System.CommandLine;
using Sluice.Cli.Commands;

namespace Sluice.Cli;

/// <summary>The whole tool behind one call, so that tests run it in their own process.</summary>
internal static class SluiceTool
{
    // A response file ("@name") is not among the documented forms, and a file may be called that.
    private static readonly ParserConfiguration Parsing = new() { ResponseFileTokenReplacer = null, EnablePosixBundling = false };

    /// <returns>The exit code: 0, 1 after an I/O error, 2 after a wrong command line, 130 when interrupted.</returns>
    public static async Task<int> RunAsync(
        IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken = default)
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
            return Fail(terminal, e.Message, ExitCode.IoError);
        }
#pragma warning disable CA1031 // A mistake of ours: a user is not helped by a stack trace, and the next shell command needs an exit code.
        catch (Exception e)
        {
            return Fail(terminal, $"internal error, please report it: {e.GetType().Name}: {e.Message}", ExitCode.IoError);
        }
#pragma warning restore CA1031
    }

    private static async Task<int> DispatchAsync(IReadOnlyList<string> arguments, Terminal terminal, CancellationToken cancellationToken)
    {
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
        return await result.InvokeAsync(invocation, cancellationToken);
    }

    private static CommandList Define(RootCommand root, IReadOnlyList<string> arguments, Terminal terminal)
    {
        var commands = new CommandList(root);
        commands.Add(
            "speed", "Measure the read and write speed of one file. Short options take their value attached (-t30).",
            o => new SpeedArguments(o), (a, result, token) => new SpeedCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "bench", "Compare Sluice with .NET's own I/O on a disk, row by row.",
            o => new BenchArguments(o), (a, result, token) => new BenchCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "copy", "Copy files and folders by the cheapest way that works.",
            o => new CopyArguments(o), (a, result, token) => new CopyCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "extents", "Show where files lie on their device, and how fragmented they are.",
            o => new ExtentsArguments(o), (a, result, token) => new ExtentsCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "frag", "Age a volume: fill it with files, delete at random, again and again. Short options take their value attached (-f70).",
            o => new FragArguments(o), (a, result, token) => new FragCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "ops", "Time the five operations of a file: open, read, write, seek, close.",
            o => new OpsArguments(o), (a, result, token) => new OpsCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "doctor", "Show what this machine and a file system allow, and what Sluice therefore does.",
            o => new DoctorArguments(o), (a, result, token) => new DoctorCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "advise", "Measure for a minute, and say which way to read and write in a folder.",
            o => new AdviseArguments(o), (a, result, token) => new AdviseCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "figures", "Draw figures 2 to 8 of MSR-TR-2004-136: bandwidth and CPU by request size, .NET and Sluice.",
            o => new FiguresArguments(o), (a, result, token) => new FiguresCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "tables", "Measure the tables of the .NET 6 text about FileStream: every method, .NET and Sluice.",
            o => new TablesArguments(o), (a, result, token) => new TablesCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "examples", "Read and write a file by byte, line and block, with .NET and with Sluice; --show prints the code.",
            o => new ExamplesArguments(o), (a, result, token) => new ExamplesCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "methods", "Time and check every way of reading and writing a whole text file.",
            o => new MethodsArguments(o), (a, result, token) => new MethodsCommand(a.Bind(result), arguments, terminal, token).RunAsync());
        commands.Add(
            "compare", "Put the JSON results of two runs side by side, and say what changed beyond noise.",
            o => new CompareArguments(o), (a, result, _) => new CompareCommand(a.Bind(result), arguments, terminal).RunAsync());
        return commands;
    }

    private static int Fail(Terminal terminal, string message, int exitCode)
    {
        terminal.Error.WriteLine($"sluice: {message.ReplaceLineEndings(" ")}");
        return exitCode;
    }
}
