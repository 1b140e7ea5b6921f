using System.CommandLine;

namespace Sluice.Cli.Terminal;

/// <summary>The tool's commands: what each is called, how its options are written, and what it runs.</summary>
internal sealed class CommandList(RootCommand root)
{
    private readonly List<(string Group, string Name, string Description)> _descriptions = [];
    private readonly Dictionary<string, string[]> _examples = new(StringComparer.Ordinal);
    private readonly Dictionary<string, OptionList> _options = new(StringComparer.Ordinal);

    public IReadOnlyCollection<string> Names => _options.Keys;

    /// <param name="group">The heading under which the tool's help lists it.</param>
    /// <param name="examples">Command lines, without the name of the tool.</param>
    /// <param name="define">Adds the options to the command; what it returns makes checked values of what was parsed.</param>
    public void Add<TOptions>(
        string group, string name, string description, string[] examples, Func<OptionList, Func<ParseResult, TOptions>> define,
        Func<TOptions, CancellationToken, Task<int>> run)
    {
        var command = new Command(name, description);
        var options = new OptionList(command);
        Func<ParseResult, TOptions> bind = define(options);
        command.SetAction((result, token) => run(bind(result), token));
        root.Add(command);
        _options.Add(name, options);
        _examples.Add(name, examples);
        _descriptions.Add((group, name, description));
    }

    /// <summary>The tool's help: the commands in groups.</summary>
    public void WriteOverview(TerminalStreams terminal)
    {
        terminal.WriteLine(root.Description ?? "");
        terminal.WriteLine();
        terminal.WriteLine("Usage: sluice COMMAND [options]");
        int width = _descriptions.Max(d => d.Name.Length);
        foreach (IGrouping<string, (string Group, string Name, string Description)> group in _descriptions.GroupBy(d => d.Group))
        {
            terminal.WriteLine();
            terminal.WriteLine($"{group.Key}:");
            foreach ((string _, string name, string description) in group)
                terminal.WriteLine($"  {name.PadRight(width)}  {description}", hang: width + 4);
        }
        terminal.WriteLine();
        terminal.WriteLine("sluice COMMAND --help has a command's options, examples and exit codes; sluice --version the version.");
        terminal.WriteLine(
            "Sizes are bytes, or end in K, M, G, T, powers of 1024; what stands in brackets after an option is its default.");
    }

    /// <summary>What stands below the options in a command's help.</summary>
    public void WriteExamples(TerminalStreams terminal, string name)
    {
        terminal.WriteLine("Examples:");
        foreach (string example in _examples[name])
            terminal.WriteLine($"  sluice {example}", hang: 4);
        terminal.WriteLine();
        terminal.WriteLine("Exit codes:");
        terminal.WriteLine("  0    done");
        terminal.WriteLine("  1    an I/O error");
        terminal.WriteLine("  2    a wrong command line, or no consent");
        terminal.WriteLine("  130  interrupted");
        terminal.WriteLine("  143  ended by SIGTERM");
    }

    /// <summary>How the command's options are written; null if there is no such command.</summary>
    public IReadOnlyList<OptionSyntax>? SyntaxOf(string name) => _options.GetValueOrDefault(name)?.Syntax;
}
