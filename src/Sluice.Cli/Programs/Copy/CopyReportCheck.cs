using Sluice.Cli.Report;

namespace Sluice.Cli.Programs.Copy;

/// <summary>Whether a result that was read is one: JSON may hold nulls, and numbers that no copy gives.</summary>
internal static class CopyReportCheck
{
    private const int FormatVersion = 1;

    private const double MaxSeconds = 1e10;

    /// <summary>What is wrong with it, in a few words; null where nothing is.</summary>
    public static string? FaultOf(CopyReport? report) =>
        report is null ? "it is null"
        : report.FormatVersion != FormatVersion ? $"its format is {report.FormatVersion}, and {FormatVersion} is known"
        : !EnvironmentCheck.IsWhole(report.Environment) ? "its environment is not whole"
        : report.Copies is not { Count: > 0 } copies || !copies.All(IsWhole) ? "its copies are not whole"
        : report.Bytes < 0 || report.Files < 0 || report.UnchangedFiles < 0 || report.Failed < 0 ? "it counts less than nothing"
        : !IsTime(report.Seconds) || !IsTime(report.CpuSeconds) || !HasEnd(report) ? "it has times that no copy takes"
        : null;

    private static bool IsWhole(CopyRecord? copy) =>
        copy is { Failures: not null } && copy.Failures.All(f => f is not null) && IsPath(copy.Source) && IsPath(copy.Target);

    private static bool IsPath(string? path) => !string.IsNullOrEmpty(path) && !path.Contains('\0', StringComparison.Ordinal);

    private static bool IsTime(double seconds) => seconds is >= 0 and <= MaxSeconds;

    private static bool HasEnd(CopyReport report) => report.Seconds < (DateTimeOffset.MaxValue - report.Started).TotalSeconds - 1;
}
