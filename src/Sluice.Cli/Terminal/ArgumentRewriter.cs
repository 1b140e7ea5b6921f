namespace Sluice.Cli.Terminal;

/// <summary>
/// Turns every spelling of an option into <c>--name=value</c> before the command-line parser sees it. Short options take
/// their value attached (-t30), so that in <c>-p a.dat</c> the file stays a file; long ones take it after a blank or =.
/// </summary>
internal sealed class ArgumentRewriter
{
    /// <summary>Stands for an optional value that was not given; it may also be typed.</summary>
    public const string Auto = "auto";

    private const int LongestShortName = 2;

    private readonly Dictionary<string, OptionSyntax> _byLongName = new(StringComparer.Ordinal);
    private readonly Dictionary<string, OptionSyntax> _byShortName = new(StringComparer.Ordinal);

    public ArgumentRewriter(IEnumerable<OptionSyntax> options)
    {
        foreach (OptionSyntax option in options)
        {
            _byLongName.Add(option.LongName, option);
            if (option.ShortName is { } shortName)
                _byShortName.Add(shortName, option);
        }
    }

    /// <exception cref="UsageException">An option that does not exist, or whose value is missing or not wanted.</exception>
    public List<string> Rewrite(IReadOnlyList<string> arguments)
    {
        var result = new List<string>(arguments.Count);
        for (int i = 0; i < arguments.Count; i++)
        {
            string argument = arguments[i];
            if (argument == "--")
            {
                result.AddRange(arguments.Skip(i));
                break;
            }
            if (argument.Length < 2 || argument[0] != '-')
                result.Add(argument);
            else if (argument is "--help" or "-h" or "-?")
                result.Add("--help");
            else if (argument[1] == '-')
                result.Add(RewriteLong(argument, arguments, ref i));
            else
                RewriteShort(argument, result);
        }
        return result;
    }

    private void RewriteShort(string argument, List<string> result)
    {
        // Options without a value may stand behind one dash, and the last of them may be one with a value: -rp, -dt30.
        string rest = argument;
        while (rest.Length > 1)
            rest = TakeShort(argument, rest, result);
    }

    /// <returns>What is left behind the first option of <paramref name="rest"/>, with a dash of its own; or the empty string.</returns>
    private string TakeShort(string argument, string rest, List<string> result)
    {
        if (FindShort(rest) is not { } option)
            throw new UsageException($"unknown option {argument}");
        // -t=30 is not the documented form, but nobody means a value that begins with '='.
        string value = rest[(1 + option.ShortName!.Length)..].TrimStart('=');
        switch (option.Value)
        {
            case OptionValue.None:
                result.Add(option.LongName);
                if (value.Length > 0 && FindShort($"-{value}") is null)
                    throw new UsageException($"-{option.ShortName} takes no value, but '{value}' follows it");
                return $"-{value}";
            case OptionValue.Required when value.Length == 0:
                throw new UsageException(
                    $"-{option.ShortName} needs its value attached (-{option.ShortName}VALUE), or write {option.LongName} VALUE");
            default:
                result.Add($"{option.LongName}={(value.Length == 0 ? Auto : value)}");
                return "";
        }
    }

    private OptionSyntax? FindShort(string argument)
    {
        // FragDisk has -Fm and -FM: the longest name counts.
        OptionSyntax? option = null;
        for (int length = Math.Min(LongestShortName, argument.Length - 1); length > 0 && option is null; length--)
            option = _byShortName.GetValueOrDefault(argument.Substring(1, length));
        return option;
    }

    private string RewriteLong(string argument, IReadOnlyList<string> arguments, ref int index)
    {
        int equals = argument.IndexOf('=', StringComparison.Ordinal);
        string name = equals < 0 ? argument : argument[..equals];
        if (!_byLongName.TryGetValue(name, out OptionSyntax? option))
            throw new UsageException($"unknown option {name}");
        if (equals >= 0)
        {
            if (option.Value == OptionValue.None)
                throw new UsageException($"{name} takes no value");
            if (equals == argument.Length - 1)
                throw new UsageException($"{name} needs a value after '='");
            return argument;
        }
        if (option.Value == OptionValue.None)
            return name;
        string? next = index + 1 < arguments.Count ? arguments[index + 1] : null;
        if (option.Value == OptionValue.Required)
        {
            // Of an empty value, as of a variable that is not set, the parser would take the argument behind it.
            if (next is null or "" or "--" || next.StartsWith("--", StringComparison.Ordinal))
                throw new UsageException($"{name} needs a value");
            index++;
            return $"{name}={next}";
        }
        // An optional value is taken only if it is a size: in "--preallocate a.dat" the file stays a file.
        if (next == Auto || ByteSize.TryParse(next, out _))
        {
            index++;
            return $"{name}={next}";
        }
        return $"{name}={Auto}";
    }
}
