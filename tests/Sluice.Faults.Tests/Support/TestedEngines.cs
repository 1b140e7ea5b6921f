namespace Sluice.Faults.Tests.Support;

/// <summary>Which engines a run tests.</summary>
internal static class TestedEngines
{
    /// <summary>Whether SLUICE_ENGINE makes the pool the process's own engine.</summary>
    public static bool AreThePool { get; } = Environment.GetEnvironmentVariable("SLUICE_ENGINE") == "pool";

    /// <summary>
    /// "default" is the process's own; "pool" is asked for by its name, and left out where the two are one: it would repeat what it does in
    /// the run with rings.
    /// </summary>
    public static IReadOnlyList<string> Names { get; } = AreThePool ? ["default"] : ["default", "pool"];
}
