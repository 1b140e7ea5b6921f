using System.CommandLine;

namespace Sluice.Cli.Terminal;

/// <summary>Adds arguments and options to a command.</summary>
internal sealed class OptionList(Command command)
{
    /// <summary>The text that represents an optional value that was not given. It can also be typed.</summary>
    public const string Auto = "auto";

    /// <summary>
    /// Expands forms that System.CommandLine does not support: short names of two letters (-Fm1), and optional values. An optional value is
    /// attached to the short name, and follows the long name only if it is a size: in "-p a.dat" and "--preallocate a.dat", a.dat is an
    /// argument.
    /// </summary>
    /// <exception cref="UsageException">An option does not exist, or its value is missing or empty.</exception>
    public List<string> Expand(IReadOnlyList<string> typed)
    {
        var result = new List<string>();
        for (int i = 0; i < typed.Count; i++)
        {
            string argument = typed[i];
            if (argument == "--")
            {
                result.AddRange(typed.Skip(i));
                break;
            }
            // Typeset texts, such as MSR-TR-2004-136, have such dashes in command lines.
            if (argument is ['\u2013' or '\u2014' or '\u2212', _, ..])
            {
                throw new UsageException(
                    $"'{argument}' begins with a dash that is not a hyphen; write -{argument[1..]}, or ./{argument} for a file");
            }
            if (argument is "-h" or "-?")
                result.Add("--help");
            else if (argument.StartsWith("--", StringComparison.Ordinal))
                result.Add(Long(argument, typed, ref i));
            else if (argument.Length > 1 && argument[0] == '-')
                result.AddRange(Short(argument));
            else
                result.Add(argument);
        }
        return result;
    }

    private string Long(string argument, IReadOnlyList<string> typed, ref int index)
    {
        string name = argument.Split('=')[0];
        Option? option = command.Options.FirstOrDefault(o => o.Name == name);
        if (option is null && name != "--help")
            throw new UsageException($"unknown option {name}");
        if (name.Length < argument.Length && (option is Option<bool> || argument[^1] == '='))
            throw new UsageException($"{name} {(option is Option<bool> ? "takes no" : "needs a")} value");
        if (option is null or Option<bool> || name.Length < argument.Length)
            return argument;
        string next = index + 1 < typed.Count ? typed[index + 1] : "";
        if (IsOptional(option) && next != Auto && !ByteSize.TryParse(next, out _))
            return $"{name}={Auto}";
        // An empty value, such as that of an unset variable, is refused, because the parser would take the next argument instead.
        if (next.Length == 0 || next.StartsWith("--", StringComparison.Ordinal))
            throw new UsageException($"{name} needs a value");
        index++;
        return $"{name}={next}";
    }

    private string[] Short(string argument)
    {
        for (int i = 1; i < argument.Length; i++)
        {
            // Names of two letters are tried too, because FragDisk has -Fm and -FM.
            Option option = Find(argument[i..(i + 1)]) ?? Find(argument[i..Math.Min(i + 2, argument.Length)])
                ?? throw new UsageException($"unknown option {argument}");
            if (option is Option<bool>)
                continue;
            string value = argument[(i + (Find(argument[i..(i + 1)]) is null ? 2 : 1))..].TrimStart('=');
            if (value.Length == 0 && !IsOptional(option))
                throw new UsageException($"{argument} needs its value attached, or write {option.Name} VALUE");
            string valued = $"{option.Name}={(value.Length == 0 ? Auto : value)}";
            return i == 1 ? [valued] : [argument[..i], valued];
        }
        return [argument];
    }

    private Option? Find(string shortName) => command.Options.FirstOrDefault(o => o.Aliases.Contains($"-{shortName}"));

    private static bool IsOptional(Option? option) => option is Option<string> { Arity.MinimumNumberOfValues: 0 };

    public TArgument Argument<TArgument>(TArgument argument)
        where TArgument : Argument
    {
        command.Add(argument);
        return argument;
    }

    public Argument<string?> OptionalArgument(string name, string description) =>
        Argument(new Argument<string?>(name) { Description = description, Arity = ArgumentArity.ZeroOrOne });

    public Option<string> Value(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string>(name, Aliases(shortName)) { HelpName = valueName }, description);

    /// <summary>Adds an option that may be repeated.</summary>
    public Option<string[]> Values(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string[]>(name, Aliases(shortName)) { HelpName = valueName, Arity = ArgumentArity.OneOrMore }, description);

    public Option<string> Optional(string name, string? shortName, string valueName, string description) =>
        Add(new Option<string>(name, Aliases(shortName)) { HelpName = valueName, Arity = ArgumentArity.ZeroOrOne }, description);

    public Option<bool> Flag(string name, string? shortName, string description) =>
        Add(new Option<bool>(name, Aliases(shortName)), description);

    /// <summary>Adds the argument DIR of commands that measure in a scratch folder. The default is the temporary folder.</summary>
    public Func<ParseResult, string> ScratchParent()
    {
        Argument<string?> directory = OptionalArgument(
            "DIR", "Where to create the scratch folder; its disk is measured (the temporary folder).");
        return result => result.GetValue(directory) ?? Path.GetTempPath();
    }

    /// <summary>Adds --quick, which is the same for every command that measures in a folder.</summary>
    public Option<bool> Quick() => Flag("--quick", null,
        "A few seconds on small files: checks that everything works; the values are not meaningful.");

    /// <summary>Adds --rounds, which <see cref="OptionText.Rounds"/> converts.</summary>
    public Option<string> Rounds() => Value("--rounds", null, "N", "Run everything N times, alternating, and report the medians (5).");

    private static string[] Aliases(string? shortName) => shortName is null ? [] : [$"-{shortName}"];

    private TOption Add<TOption>(TOption option, string description)
        where TOption : Option
    {
        option.Description = description;
        command.Add(option);
        return option;
    }
}
