using System.CommandLine;

namespace Sluice.Cli.Commands;

/// <summary>The tool's commands: what each is called, how its options are written, and what it runs.</summary>
internal sealed class CommandList(RootCommand root)
{
    private readonly Dictionary<string, OptionList> _options = new(StringComparer.Ordinal);

    public IReadOnlyCollection<string> Names => _options.Keys;

    /// <param name="define">Adds the options, and keeps them for the run.</param>
    public void Add<T>(
        string name, string description, Func<OptionList, T> define, Func<T, ParseResult, CancellationToken, Task<int>> run)
    {
        var command = new Command(name, description);
        var options = new OptionList(command);
        T arguments = define(options);
        command.SetAction((result, token) => run(arguments, result, token));
        root.Add(command);
        _options.Add(name, options);
    }

    /// <summary>How the command's options are written; null if there is no such command.</summary>
    public IReadOnlyList<OptionSyntax>? SyntaxOf(string name) => _options.GetValueOrDefault(name)?.Syntax;
}
