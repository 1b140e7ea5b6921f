namespace Sluice.Tests.Streams;

/// <summary>What a step gave: a number and a hash of all bytes and counts, or the exception.</summary>
/// <param name="Error">Type, parameter name, and whether a call threw it or a task ended with it; null where there was none.</param>
internal readonly record struct StreamOutcome(long Value, int Hash, string? Error)
{
    public override string ToString() => Error ?? $"{Value} (hash {Hash:X8})";
}
