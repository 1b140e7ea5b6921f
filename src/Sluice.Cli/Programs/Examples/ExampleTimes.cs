namespace Sluice.Cli.Programs.Examples;

/// <summary>What one case took in each round, and what its result lacked in any.</summary>
internal sealed class ExampleTimes
{
    public List<double> Seconds { get; } = [];

    public List<double> CpuSeconds { get; } = [];

    /// <summary>Null: every round gave what it should.</summary>
    public string? Difference { get; set; }
}
