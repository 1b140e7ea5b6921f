using Sluice.Cli.Report;

namespace Sluice.Cli.Load;

/// <summary>Whether a result that was read is one of a rank: JSON may hold nulls, and numbers that no run gives.</summary>
internal static class SpeedReportCheck
{
    private const int FormatVersion = 1;
    private const double MaxSeconds = 1e10;
    private const double MaxRate = 1e15;

    /// <summary>What is wrong with it, in a few words; null where nothing is.</summary>
    public static string? FaultOf(SpeedReport? report) =>
        report is null ? "it is null"
        : report.FormatVersion != FormatVersion ? $"its format is {report.FormatVersion}, and {FormatVersion} is known"
        : !EnvironmentCheck.IsWhole(report.Environment) ? "its environment is not whole"
        : !IsWhole(report.Workload) ? "its workload is not whole"
        : report.Rank is { } rank && !IsWhole(rank) ? "its rank is not whole"
        : report.Sides is not { Count: <= 2 } sides || !sides.All(IsWhole) ? "what was measured is not whole"
        : report.Verified is { } verified && (verified.Requests < 0 || verified.Wrong < 0) ? "it counts less than nothing"
        : null;

    private static bool IsWhole(SpeedWorkload? load) =>
        load is { File: not null, Operation: not null, Cache: not null, FileSizeBytes: > 0, RequestSizeBytes: > 0 }
        && IsTime(load.TimeSeconds) && IsTime(load.WarmUpSeconds) && load.SeekPercent is >= 0 and <= 100
        && load.Files?.All(f => f is not null) != false;

    private static bool IsWhole(RankReport rank) =>
        rank is { Host: not null, Run.Length: > 0, Count: > 0 } && rank.Index >= 0 && rank.Index < rank.Count && IsTime(rank.LateSeconds)
        && HasEnd(rank.Start) && HasEnd(rank.MeasuredFrom ?? rank.Start);

    private static bool IsWhole(SideReport? side) =>
        side is { Side: not null, Engine: not null, Caching: not null, Operations: > 0, Bytes: >= 0 }
        && IsTime(side.Seconds) && side.Seconds > 0 && IsRate(side.MiBPerSecond) && IsRate(side.Iops)
        && IsRate(side.MiBPerSecondWithFlush ?? 0) && IsRate(side.CpuPercent);

    private static bool HasEnd(DateTimeOffset time) => time < DateTimeOffset.MaxValue.AddSeconds(-MaxSeconds);

    private static bool IsTime(double seconds) => seconds is >= 0 and <= MaxSeconds;

    private static bool IsRate(double rate) => rate is >= 0 and <= MaxRate;
}
