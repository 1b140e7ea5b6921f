using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Bench.Logs;
using Sluice.Cli.Bench.Sequential;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Cli.Bench;

/// <summary>A named list of rows, added to <see cref="All"/>.</summary>
/// <param name="Minutes">The duration of a full run on two processors, in minutes.</param>
/// <param name="SliceTime">Returns the duration of a slice.</param>
internal sealed record Suite(string Name, int Minutes, Func<BenchScale, TimeSpan> SliceTime, IReadOnlyList<Row> Rows)
{
    /// <summary>The command-line name of all suites except everyday.</summary>
    public const string AllName = "all";

    public static IReadOnlyList<Suite> All { get; } =
    [
        EverydaySuite.Create(), HandleRows.Create(), StreamRows.Create(), SequentialRows.Create(), FilesSuite.Create(), LogSuite.Create(),
        HandleRows.CreateScale(),
    ];

    /// <summary>The time limit of a row (see <see cref="TurnRunner.Limit"/>); null if there is none.</summary>
    public TimeSpan? RowTime { get; init; }

    /// <summary>The duration of one row in a full run, in seconds.</summary>
    public double SecondsOfRow => 60.0 * Minutes / Rows.Count;
}
