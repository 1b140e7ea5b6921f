using System.Globalization;

namespace Sluice.Cli.Terminal;

/// <summary>Whole numbers on the command line.</summary>
internal static class WholeNumber
{
    private const int MaxRounds = 1000;

    /// <exception cref="UsageException">Not a whole number in the range.</exception>
    public static int Parse(string option, string? text, int smallest, int largest, int byDefault)
    {
        if (text is null)
            return byDefault;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= smallest
            && number <= largest
            ? number
            : throw new UsageException($"{option}: '{text}' is not a whole number from {smallest} to {largest}");
    }

    /// <summary>The value of <see cref="OptionList.Rounds"/>.</summary>
    /// <exception cref="UsageException">No number of rounds.</exception>
    public static int ParseRounds(string? text, int byDefault) => Parse("--rounds", text, 1, MaxRounds, byDefault);
}
