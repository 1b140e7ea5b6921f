using System.Globalization;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Bench.Files;
using Sluice.Cli.Bench.Handles;
using Sluice.Cli.Bench.Logs;
using Sluice.Cli.Bench.Remote;
using Sluice.Cli.Bench.Sequential;
using Sluice.Cli.Bench.Streams;

namespace Sluice.Cli.Bench;

/// <summary>A named list of rows. A new suite is a class with such a list, added to <see cref="All"/>.</summary>
/// <param name="TimeOfFullRun">
/// For the help text, such as "2 minutes": what a kept run took, with the turns that rows have had since.
/// </param>
/// <param name="SliceTime">For how long a contender runs at a time.</param>
/// <param name="Space">What it takes in the scratch folder.</param>
internal sealed record Suite(
    string Name, string Description, string TimeOfFullRun, Func<BenchScale, TimeSpan> SliceTime, Func<BenchScale, SuiteSpace> Space,
    IReadOnlyList<Row> Rows)
{
    /// <summary>Whether it runs only where it is named, and is not among <see cref="AllName"/>.</summary>
    public bool IsOnRequest { get; init; }

    /// <summary>
    /// A row that has run this long ends as soon as it has the pairs for an interval, and after <see cref="RowLimits"/> times as long with
    /// the pairs that it has. Null: no limit.
    /// </summary>
    public TimeSpan? RowTime { get; init; }

    /// <summary>See <see cref="RowTime"/>.</summary>
    public const int RowLimits = 3;

    /// <summary>What one row takes of a whole run's minutes, for the time left.</summary>
    public double WeightOfRow => double.Parse(TimeOfFullRun.Split(' ')[0], CultureInfo.InvariantCulture) / Rows.Count;

    /// <summary>Stands on the command line for all suites but those on request.</summary>
    public const string AllName = "all";

    public static IReadOnlyList<Suite> All { get; } =
    [
        EverydaySuite.Create(), HandleSuite.Create(), StreamSuite.Create(), SequentialSuite.Create(), FilesSuite.Create(), LogSuite.Create(),
        ScaleSuite.Create(), RemoteSuite.Create(),
    ];
}
