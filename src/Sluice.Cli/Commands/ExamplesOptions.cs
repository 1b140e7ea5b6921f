using Sluice.Cli.Programs.Examples;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Commands;

/// <summary>One checked `examples` command line.</summary>
internal sealed record ExamplesOptions
{
    /// <summary>The file to make and keep; null: one in the temporary folder, which is removed.</summary>
    public string? File { get; init; }

    /// <summary>Records of 100 bytes.</summary>
    public long Count { get; init; } = 1_000_000;

    public int Rounds { get; init; } = 5;

    public IReadOnlyList<ExampleCase> Cases { get; init; } = ExampleCases.All;

    /// <summary>Print this case's code and do nothing else.</summary>
    public ExampleCase? Show { get; init; }

    /// <summary>Print the names of the cases and do nothing else.</summary>
    public bool List { get; init; }

    public bool Force { get; init; }

    public bool Quiet { get; init; }

    public PageOutput Output { get; init; } = new();
}
