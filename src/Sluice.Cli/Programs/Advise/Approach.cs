using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>One way to do a thing, and the line of C# that does it.</summary>
/// <param name="Key">For remarks that compare two of them.</param>
/// <param name="Name">Begins with ".NET" or "Sluice".</param>
internal sealed record Approach(string Key, string Name, string Code, Func<Slice, Task> RunAsync) : Contender(Name, RunAsync)
{
    /// <summary>A way that blocks its thread.</summary>
    public Approach(string key, string name, string code, Action<Slice> run)
        : this(key, name, code, slice =>
        {
            run(slice);
            return Task.CompletedTask;
        })
    {
    }

    public static Approach Of(string key, string name, string code, Contender side) => new(key, name, code, side.RunAsync)
    {
        MeasuresAllocations = side.MeasuresAllocations,
        Prepare = side.Prepare,
        Verify = side.Verify,
    };

    /// <summary>Does more than the others, such as flushing: shown and compared, not chosen.</summary>
    public bool DoesMore { get; init; }

    public bool IsDotNet => Name.StartsWith(".NET", StringComparison.Ordinal);

    /// <summary>Left out where direct I/O is not to be had.</summary>
    public bool IsDirect => Name.Contains(", direct", StringComparison.Ordinal);
}
