using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>One approach to a task, and the line of C# for it.</summary>
/// <param name="Name">The name, which begins with ".NET" or "Sluice".</param>
internal sealed record Approach(string Name, string Code, Func<Slice, Task> RunAsync) : Contender(Name, RunAsync)
{
    /// <summary>Creates an approach that blocks its thread.</summary>
    public Approach(string name, string code, Action<Slice> run)
        : this(name, code, slice =>
        {
            run(slice);
            return Task.CompletedTask;
        })
    {
    }

    public static Approach Of(string name, string code, Contender side) => new(name, code, side.RunAsync)
    {
        MeasuresAllocations = side.MeasuresAllocations,
        Prepare = side.Prepare,
        Verify = side.Verify,
    };

    public bool IsDotNet => Name.StartsWith(".NET", StringComparison.Ordinal);

    /// <summary>True for an approach with direct I/O, which is left out if direct I/O is not supported.</summary>
    public bool IsDirect => Name.Contains(", direct", StringComparison.Ordinal);
}
