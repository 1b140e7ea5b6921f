namespace Sluice;

/// <summary>One path that failed while others went on.</summary>
/// <param name="Path">The path as it was given or found.</param>
/// <param name="Error">Why it failed.</param>
public sealed record FileFailure(string Path, Exception Error);
