namespace Sluice.Cli.Bench;

/// <summary>One side of a row: what it does until the slice is over, and what is set right, untimed, before each slice.</summary>
internal sealed record Contender(string Name, Func<Slice, Task> RunAsync)
{
    /// <summary>How many loops count operations.</summary>
    public int Loops { get; init; } = 1;

    public Action? Prepare { get; init; }

    /// <summary>
    /// Checks, untimed, what the slice that just ended has read or written. Throws <see cref="IOException"/> if it is wrong.
    /// </summary>
    public Action<Slice>? Verify { get; init; }

    /// <summary>
    /// Whether it runs other programs, whose CPU time is its own. What this process allocates to start them is nobody's: bytes are told
    /// where a program says them of itself (<see cref="Slice.AllocatedBytes"/>), and are 0 else.
    /// </summary>
    public bool RunsPrograms { get; init; }

    /// <summary>Of a program: what was run last, for a reader who wants to run it too; null before.</summary>
    public Func<string?>? CommandLine { get; init; }

    /// <summary>Whether an operation is a whole pass, or a part of one, so that there is no latency of it.</summary>
    public bool IsPass { get; init; }

    /// <summary>What it does in the turn of its latencies, where its own loop looks at no clock; null: its own loop.</summary>
    public Func<Slice, Task>? RunTimedAsync { get; init; }

    /// <summary>Whether its loop sets <see cref="Slice.AllocatedBytes"/>, so that the runner need not look in while it runs.</summary>
    public bool MeasuresAllocations { get; init; }
}
