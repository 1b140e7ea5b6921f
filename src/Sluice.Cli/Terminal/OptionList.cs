using System.CommandLine;

namespace Sluice.Cli.Terminal;

/// <summary>Adds arguments and options to a command, and records their syntax for <see cref="ArgumentRewriter"/>.</summary>
internal sealed class OptionList(Command command)
{
    private readonly List<OptionSyntax> _syntax = [];

    public IReadOnlyList<OptionSyntax> Syntax => _syntax;

    public TArgument Argument<TArgument>(TArgument argument)
        where TArgument : Argument
    {
        command.Add(argument);
        return argument;
    }

    public Argument<string?> OptionalArgument(string name, string description) =>
        Argument(new Argument<string?>(name) { Description = description, Arity = ArgumentArity.ZeroOrOne });

    public Option<string> Value(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string>(name, Aliases(shortName)) { HelpName = valueName }, description, shortName, OptionValue.Required);

    /// <summary>Adds an option that may be repeated.</summary>
    public Option<string[]> Values(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string[]>(name, Aliases(shortName)) { HelpName = valueName, Arity = ArgumentArity.OneOrMore }, description,
            shortName, OptionValue.Required);

    public Option<string> Optional(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string>(name, Aliases(shortName)) { HelpName = valueName }, description, shortName, OptionValue.Optional);

    public Option<bool> Flag(string name, string? shortName, string description) =>
        Add(new Option<bool>(name, Aliases(shortName)), description, shortName, OptionValue.None);

    /// <summary>DIR of commands that measure in a scratch folder; without it the temporary folder.</summary>
    public Func<ParseResult, string> ScratchParent()
    {
        Argument<string?> directory = OptionalArgument(
            "DIR", "Where to make the scratch folder, which decides the disk that is measured (the temporary folder).");
        return result => result.GetValue(directory) ?? Path.GetTempPath();
    }

    /// <summary>--quick, the same for every command that measures in a folder.</summary>
    public Option<bool> Quick() => Flag("--quick", null, "A few seconds on small files: shows that everything works, measures nothing.");

    /// <summary>--rounds, for <see cref="OptionText.Rounds"/>.</summary>
    public Option<string> Rounds() => Value("--rounds", null, "N", "Run all N times, in turns, and take the medians (5).");

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

internal enum OptionValue { None, Optional, Required }

/// <summary>
/// The syntax of an option: its long name, its short name without the dash (-t, -Fm; or none), and whether a value follows.
/// </summary>
internal sealed record OptionSyntax(string LongName, string? ShortName, OptionValue Value);
