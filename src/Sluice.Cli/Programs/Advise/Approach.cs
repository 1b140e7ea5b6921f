using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>One way to do a thing, and the line of C# that does it.</summary>
/// <param name="Key">For remarks that compare two of them.</param>
/// <param name="Name">Begins with ".NET" or "Sluice".</param>
internal sealed record Approach(string Key, string Name, string Code, Func<Slice, Task> RunAsync)
{
    /// <summary>Before each slice, untimed.</summary>
    public Action? Prepare { get; init; }

    /// <summary>Loops that count.</summary>
    public int Loops { get; init; } = 1;

    /// <summary>Does more than the others, such as flushing: shown and compared, not chosen.</summary>
    public bool DoesMore { get; init; }

    public bool IsDotNet => Name.StartsWith(".NET", StringComparison.Ordinal);

    /// <summary>Left out where direct I/O is not to be had.</summary>
    public bool IsDirect => Name.Contains(", direct", StringComparison.Ordinal);

    public Contender ToContender() => new(Name, RunAsync) { Loops = Loops, Prepare = Prepare, MeasuresAllocations = true };
}
