namespace Sluice.Tests.Support;

/// <summary>Which engines a run tests.</summary>
internal static class TestedEngines
{
    /// <summary>
    /// Whether SLUICE_ENGINE makes the pool the process's own engine. What is plugged in and the pool asked for by its name are one then,
    /// and only repeat what they do in the run with rings: such rows are left out, such classes have the trait "Runs: once".
    /// </summary>
    public static bool AreThePool { get; } = Environment.GetEnvironmentVariable("SLUICE_ENGINE") == "pool";
}
