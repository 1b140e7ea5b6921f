namespace Sluice.Cli.Programs.Methods;

/// <summary>What one method took at one size, and what its result lacked in any run.</summary>
internal sealed class MethodTimes
{
    public List<double> Seconds { get; } = [];

    /// <summary>The median of each round: runs that follow one another are no independent samples.</summary>
    public List<double> RoundSeconds { get; } = [];

    /// <summary>Null: every run gave what it should.</summary>
    public string? Difference { get; set; }
}
