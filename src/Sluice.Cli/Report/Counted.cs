namespace Sluice.Cli.Report;

internal static class Counted
{
    /// <summary>"1 file", "2 files".</summary>
    public static string Of(long count, string noun) => $"{count:#,0} {noun}{(count == 1 ? "" : "s")}";
}
