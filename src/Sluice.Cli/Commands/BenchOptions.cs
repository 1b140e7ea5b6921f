using Sluice.Cli.Bench;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `bench` command line.</summary>
internal sealed record BenchOptions(string Directory)
{
    /// <summary>A suite's name, or <see cref="Bench.Suite.AllName"/>, which null also stands for.</summary>
    public string? Suite { get; init; }

    /// <summary>Only rows whose id contains this.</summary>
    public string? RowFilter { get; init; }

    public PageOutput Output { get; init; } = new();

    public bool Quick { get; init; }

    /// <summary>Everything at its usual length, though nothing was picked.</summary>
    public bool Full { get; init; }

    /// <summary>Whether it is the short form of all suites: the whole takes ten minutes and more, which nobody expects of a bare command.</summary>
    public bool IsShort => Suite is null && RowFilter is null && !Full && !Quick;

    public BenchScale Scale => Quick ? BenchScale.Quick : IsShort ? BenchScale.Short : BenchScale.Full;

    public IReadOnlyList<Suite> SelectSuites() => Suite switch
    {
        null or Bench.Suite.AllName => Bench.Suite.All,
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
