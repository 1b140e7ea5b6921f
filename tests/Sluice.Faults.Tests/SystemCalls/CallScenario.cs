namespace Sluice.Faults.Tests.SystemCalls;

/// <summary>One public operation that must end well, or with the right exception, whichever of its system calls fails.</summary>
/// <param name="Name">Of the row, for people.</param>
/// <param name="Run">
/// Does the operation in a folder that <see cref="Prepare"/> has filled, and checks its result: an assertion that fails is a wrong byte.
/// </param>
internal sealed record CallScenario(string Name, Func<string, Task> Run)
{
    /// <summary>Makes what the operation needs; its calls are not counted.</summary>
    public Action<string> Prepare { get; init; } = static _ => { };

    /// <summary>Looks at the folder after an exception, without faults: what is there must be old or new.</summary>
    public Action<string> AfterFailure { get; init; } = static _ => { };

    /// <summary>Names that may be in the folder afterwards, at any depth; others are leftovers.</summary>
    public string[] Leaves { get; init; } = [];
}
