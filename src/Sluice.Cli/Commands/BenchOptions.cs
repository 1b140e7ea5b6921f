using Sluice.Cli.Bench;

namespace Sluice.Cli.Commands;

/// <summary>One checked `bench` command line.</summary>
internal sealed record BenchOptions(string Directory)
{
    /// <summary>A suite's name, or <see cref="Bench.Suite.AllName"/>. Null: the default suite, or all of them if rows are picked.</summary>
    public string? Suite { get; init; }

    /// <summary>Only rows whose id contains this.</summary>
    public string? RowFilter { get; init; }

    public string? JsonPath { get; init; }

    public string? CsvPath { get; init; }

    public bool Quick { get; init; }

    public IReadOnlyList<Suite> SelectSuites() => Suite switch
    {
        null => RowFilter is null ? [Bench.Suite.Default] : Bench.Suite.All,
        Bench.Suite.AllName => Bench.Suite.All,
        _ => [.. Bench.Suite.All.Where(s => s.Name == Suite)],
    };

    public IReadOnlyList<(Suite Suite, Row Row)> SelectRows() =>
    [
        .. from suite in SelectSuites()
           from row in suite.Rows
           where RowFilter is null || row.Id.Contains(RowFilter, StringComparison.Ordinal)
           select (suite, row),
    ];
}
