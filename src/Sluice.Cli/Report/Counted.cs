namespace Sluice.Cli.Report;

internal static class Counted
{
    /// <summary>Returns the number with the noun, such as "1 file" or "2 files".</summary>
    public static string Of(long count, string noun) => Of(count, noun, $"{noun}s");

    public static string Of(long count, string one, string several) => $"{count:#,0} {(count == 1 ? one : several)}";
}
