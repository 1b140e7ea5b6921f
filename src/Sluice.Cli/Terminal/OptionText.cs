using System.Globalization;

namespace Sluice.Cli.Terminal;

/// <summary>Converts the text of an option to a validated value. An absent option gives null, or the default of methods with one.</summary>
internal static class OptionText
{
    private const int MaxRounds = 1000;

    /// <exception cref="UsageException">The text is not a whole number in the range.</exception>
    public static long? Whole(string option, string? text, long smallest, long largest) =>
        text is null ? null
        : long.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out long number) && number >= smallest && number <= largest
            ? number
        : throw new UsageException($"{option}: '{text}' is not a whole number from {smallest} to {largest}");

    /// <exception cref="UsageException">The text is not a whole number in the range.</exception>
    public static int Whole(string option, string? text, int smallest, int largest, int byDefault) =>
        (int?)Whole(option, text, smallest, largest) ?? byDefault;

    /// <summary>Returns the value of <see cref="OptionList.Rounds"/>.</summary>
    /// <exception cref="UsageException">The text is not a valid number of rounds.</exception>
    public static int Rounds(string? text, int byDefault) => Whole("--rounds", text, 1, MaxRounds, byDefault);

    /// <summary>Returns a number with or without a decimal point.</summary>
    /// <param name="smallest">The smallest number; <see cref="double.Epsilon"/> for all numbers above 0.</param>
    /// <exception cref="UsageException">The text is not a number in the range. The parser also accepts "NaN" and "-Infinity".</exception>
    public static double? Number(string option, string? text, double smallest, double largest) =>
        text is null ? null
        : double.TryParse(text, NumberStyles.AllowDecimalPoint, CultureInfo.InvariantCulture, out double number)
            && number >= smallest && number <= largest ? number
        : throw new UsageException($"{option}: '{text}' is not a number "
            + (smallest == double.Epsilon ? $"above 0, up to {largest:#,0}" : $"from {smallest:#,0.######} to {largest:#,0}"));

    /// <exception cref="UsageException">The text is not a size in the range.</exception>
    public static long? Size(string option, string? text, long smallest = 1, long largest = long.MaxValue) =>
        text is null ? null
        : ByteSize.TryParse(text, out long bytes) && bytes >= smallest && bytes <= largest ? bytes
        : throw new UsageException(largest == long.MaxValue
            ? $"{option}: '{text}' is not a size, as in 100M, larger than 0"
            : $"{option}: '{text}' is not a size from {ByteSize.Format(smallest)} to {ByteSize.Format(largest)}");

    /// <summary>
    /// Returns the items whose names are in the list, which commas separate; a part of a name stands for all that contain it.
    /// </summary>
    /// <exception cref="UsageException">No item has such a name.</exception>
    public static IReadOnlyList<T> Matching<T>(string option, string list, IReadOnlyList<T> items, Func<T, string> nameOf)
    {
        string[] names = list.Split(',', StringSplitOptions.TrimEntries | StringSplitOptions.RemoveEmptyEntries);
        var chosen = new HashSet<T>();
        foreach (string name in names)
        {
            T[] exact = [.. items.Where(i => nameOf(i).Equals(name, StringComparison.OrdinalIgnoreCase))];
            T[] found = exact.Length > 0 ? exact : [.. items.Where(i => nameOf(i).Contains(name, StringComparison.OrdinalIgnoreCase))];
            if (found.Length == 0)
                throw new UsageException($"{option}: nothing is called '{name}'");
            chosen.UnionWith(found);
        }

        return chosen.Count > 0 ? [.. items.Where(chosen.Contains)] : throw new UsageException($"{option} names none");
    }

    /// <exception cref="UsageException">The text is none of the names.</exception>
    public static T? Choice<T>(string option, string? text, params ReadOnlySpan<(string Name, T Value)> choices)
        where T : struct
    {
        if (text is null)
            return null;
        foreach ((string name, T value) in choices)
        {
            if (name == text)
                return value;
        }
        throw new UsageException($"{option}: '{text}' is not one of {string.Join(", ", choices.ToArray().Select(c => c.Name))}");
    }
}
