using System.Globalization;

namespace Sluice.Cli.Commands;

/// <summary>Whole numbers on the command line.</summary>
internal static class Number
{
    /// <exception cref="UsageException">Not a whole number in the range.</exception>
    public static int Parse(string option, string? text, int smallest, int largest, int byDefault)
    {
        if (text is null)
            return byDefault;
        return int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number) && number >= smallest && number <= largest
            ? number
            : throw new UsageException($"{option}: '{text}' is not a whole number from {smallest} to {largest}");
    }
}
