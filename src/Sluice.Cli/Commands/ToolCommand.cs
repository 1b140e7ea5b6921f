using System.CommandLine;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Commands;

/// <summary>
/// Checks the parsed options of a command, and returns the function that runs it and returns the exit code. It throws a
/// <see cref="UsageException"/> for invalid options.
/// </summary>
internal delegate Func<Task<int>> CommandBinder(ParseResult result, CommandContext context);

/// <summary>A command of the tool. Its options are defined only if the command was typed.</summary>
/// <param name="Group">The heading under which the help of the tool lists the command.</param>
/// <param name="Examples">Command lines without the name of the tool, which can be typed unchanged in an empty folder.</param>
/// <param name="Define">Adds the options to the command, and returns the function that checks them.</param>
/// <param name="Done">The meaning of exit code 0.</param>
/// <param name="Failed">The meaning of exit code 1.</param>
/// <param name="Refused">The meaning of exit code 2.</param>
internal sealed record ToolCommand(
    string Group, string Name, string Description, string[] Examples, Func<OptionList, CommandBinder> Define, string Done = "done",
    string Failed = "an I/O error", string Refused = "a wrong command line, or an existing file that is not to be replaced")
{
    /// <summary>Writes the part of the command's help below the options.</summary>
    public void WriteExamples(TerminalStreams terminal)
    {
        terminal.WriteLine("Examples:");
        foreach (string example in Examples)
            terminal.WriteLine($"  sluice {example}", hang: 4);
        terminal.WriteLine();
        terminal.WriteLine("Exit codes:");
        (int Code, string Meaning)[] codes =
        [
            (ExitCode.Success, Done), (ExitCode.IoError, Failed), (ExitCode.Usage, Refused), (ExitCode.Interrupted, "interrupted"),
            (ExitCode.Terminated, "ended by SIGTERM"),
        ];
        foreach ((int code, string meaning) in codes)
            terminal.WriteLine($"  {code,-3}  {meaning}", hang: 7);
    }

    /// <summary>Writes the help of the tool: the commands in groups.</summary>
    public static void WriteOverview(TerminalStreams terminal, IReadOnlyList<ToolCommand> commands)
    {
        int width = commands.Max(c => c.Name.Length);
        terminal.WriteLine("Usage: sluice COMMAND [options]; sluice COMMAND --help; sluice --version");
        foreach (IGrouping<string, ToolCommand> group in commands.GroupBy(c => c.Group))
        {
            terminal.WriteLine($"{group.Key}:");
            foreach (ToolCommand command in group)
                terminal.WriteLine($"  {command.Name.PadRight(width)}  {command.Description}", hang: width + 4);
        }
        terminal.WriteLine("Sizes are bytes, or end in K, M, G, T (powers of 1024).");
    }
}
