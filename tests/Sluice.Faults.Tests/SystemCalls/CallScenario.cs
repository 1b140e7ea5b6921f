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

    /// <summary>Calls that must be made where nothing fails, by a part of their names; one that stands twice must be made twice.</summary>
    public string[] MustCall { get; init; } = [];

    /// <summary>How many answers of each call are tried; fewer where there are very many calls.</summary>
    public int MaxKinds { get; init; } = int.MaxValue;

    /// <summary>Names that may be in the folder afterwards, at any depth; others are leftovers.</summary>
    public string[] Leaves { get; init; } = [];
}
