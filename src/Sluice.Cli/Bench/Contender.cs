namespace Sluice.Cli.Bench;

/// <summary>
/// One of the implementations that a row compares: the work until a slice ends, and the untimed preparation before each slice.
/// </summary>
internal record Contender(string Name, Func<Slice, Task> RunAsync)
{
    /// <summary>The number of concurrent loops that count operations.</summary>
    public int Loops { get; init; } = 1;

    public Action? Prepare { get; init; }

    /// <summary>
    /// Checks what the slice has read or written, outside the measured time. Throws <see cref="IOException"/> if it is wrong.
    /// </summary>
    public Action<Slice>? Verify { get; init; }

    /// <summary>
    /// True if the work starts other programs, whose CPU time is counted. Allocated bytes are those that a program reports (<see
    /// cref="Slice.AllocatedBytes"/>), otherwise 0.
    /// </summary>
    public bool RunsPrograms { get; init; }

    /// <summary>True if <see cref="RunAsync"/> sets <see cref="Slice.AllocatedBytes"/>.</summary>
    public bool MeasuresAllocations { get; init; }
}
