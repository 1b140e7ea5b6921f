using System.CommandLine;

namespace Sluice.Cli.Commands;

/// <summary>Adds arguments and options to a command, and remembers how they are written for <see cref="ArgumentRewriter"/>.</summary>
internal sealed class OptionList(Command command)
{
    private readonly List<OptionSyntax> _syntax = [];

    public IReadOnlyList<OptionSyntax> Syntax => _syntax;

    public void Argument(Argument argument) => command.Add(argument);

    public Option<string> Value(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string>(name, Aliases(shortName)) { HelpName = valueName }, description, shortName, OptionValue.Required);

    public Option<string> Optional(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string>(name, Aliases(shortName)) { HelpName = valueName }, description, shortName, OptionValue.Optional);

    public Option<bool> Flag(string name, string? shortName, string description) =>
        Add(new Option<bool>(name, Aliases(shortName)), description, shortName, OptionValue.None);

    private static string[] Aliases(string? shortName) => shortName is null ? [] : [$"-{shortName}"];

    private TOption Add<TOption>(TOption option, string description, string? shortName, OptionValue value)
        where TOption : Option
    {
        option.Description = description;
        command.Add(option);
        _syntax.Add(new OptionSyntax(option.Name, shortName, value));
        return option;
    }
}
