using System.CommandLine;

namespace Sluice.Cli.Terminal;

/// <summary>The tool's commands: what each is called, how its options are written, and what it runs.</summary>
internal sealed class CommandList(RootCommand root)
{
    private readonly List<(string Group, string Name, string Description)> _descriptions = [];
    private readonly Dictionary<string, string[]> _examples = new(StringComparer.Ordinal);
    private readonly Dictionary<string, CommandEnds> _ends = new(StringComparer.Ordinal);
    private readonly Dictionary<string, OptionList> _options = new(StringComparer.Ordinal);

    public IReadOnlyCollection<string> Names => _options.Keys;

    /// <param name="group">The heading under which the tool's help lists it.</param>
    /// <param name="examples">Command lines, without the name of the tool, that can be typed as they are in an empty folder.</param>
    /// <param name="define">Adds the options to the command; what it returns makes checked values of what was parsed.</param>
    /// <param name="ends">What its exit codes mean, where that is not what they mean for most commands.</param>
    public void Add<TOptions>(
        string group, string name, string description, string[] examples, Func<OptionList, Func<ParseResult, TOptions>> define,
        Func<TOptions, CancellationToken, Task<int>> run, CommandEnds? ends = null)
    {
        var command = new Command(name, description);
        var options = new OptionList(command);
        Func<ParseResult, TOptions> bind = define(options);
        command.SetAction((result, token) => run(bind(result), token));
        root.Add(command);
        _options.Add(name, options);
        _examples.Add(name, examples);
        _ends.Add(name, ends ?? new CommandEnds());
        _descriptions.Add((group, name, description));
    }

    /// <summary>The tool's help: the commands in groups.</summary>
    public void WriteOverview(TerminalStreams terminal)
    {
        int width = _descriptions.Max(d => d.Name.Length);
        terminal.WriteLine("Usage: sluice COMMAND [options]; sluice COMMAND --help; sluice --version");
        foreach (IGrouping<string, (string Group, string Name, string Description)> group in _descriptions.GroupBy(d => d.Group))
        {
            terminal.WriteLine($"{group.Key}:");
            foreach ((string _, string name, string description) in group)
                terminal.WriteLine($"  {name.PadRight(width)}  {description}", hang: width + 4);
        }
        terminal.WriteLine("Sizes are bytes, or end in K, M, G, T (powers of 1024).");
    }

    /// <summary>What stands below the options in a command's help.</summary>
    public void WriteExamples(TerminalStreams terminal, string name)
    {
        terminal.WriteLine("Examples:");
        foreach (string example in _examples[name])
            terminal.WriteLine($"  sluice {example}", hang: 4);
        terminal.WriteLine();
        terminal.WriteLine("Exit codes:");
        CommandEnds ends = _ends[name];
        (int Code, string Meaning)[] codes =
        [
            (ExitCode.Success, ends.Done),
            (ExitCode.IoError, ends.Failed),
            (ExitCode.Usage, ends.Refused),
            (ExitCode.Interrupted, "interrupted"),
            (ExitCode.Terminated, "ended by SIGTERM"),
        ];
        foreach ((int code, string meaning) in codes)
            terminal.WriteLine($"  {code,-3}  {meaning}", hang: 7);
    }

    /// <summary>How the command's options are written; null if there is no such command.</summary>
    public IReadOnlyList<OptionSyntax>? SyntaxOf(string name) => _options.GetValueOrDefault(name)?.Syntax;
}

/// <summary>What a command's exit codes mean.</summary>
/// <param name="Done">Of 0.</param>
/// <param name="Failed">Of 1.</param>
/// <param name="Refused">Of 2.</param>
internal sealed record CommandEnds(
    string Done = "done", string Failed = "an I/O error",
    string Refused = "a wrong command line, or nobody agreed that what is there is replaced");
