namespace Sluice.Cli.Commands;

/// <summary>One checked `bench` command line.</summary>
internal sealed record BenchOptions(string Directory)
{
    /// <summary>Null: all.</summary>
    public string? Suite { get; init; }

    /// <summary>Only rows whose id contains this.</summary>
    public string? RowFilter { get; init; }

    public string? JsonPath { get; init; }

    public string? CsvPath { get; init; }

    public bool Quick { get; init; }
}
