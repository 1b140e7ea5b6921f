namespace Sluice.Cli.Bench;

/// <summary>An opened row: the implementations to compare, and the resources to dispose after it.</summary>
internal sealed class Contest(Contender sluice, Contender dotNet, params IDisposable[] owned) : IDisposable
{
    public Contest(Func<Slice, Task> sluice, Func<Slice, Task> dotNet, params IDisposable[] owned)
        : this(new Contender("Sluice", sluice), new Contender(BenchTable.DotNetName, dotNet), owned)
    {
    }

    public Contender Sluice { get; } = sluice;

    public Contender DotNet { get; } = dotNet;

    public Contender? Second { get; init; }

    public IEnumerable<Contender> All => Second is null ? [Sluice, DotNet] : [Sluice, DotNet, Second];

    /// <summary>
    /// Creates a contest of repeated passes over a file; see <see cref="Loops.Passes(string, Func{long}, bool, long?)"/>.
    /// </summary>
    public static Contest Passes(
        Func<long> sluice, Func<long> dotNet, bool countUnits = false, long? expected = null) => new(
        Loops.Passes("Sluice", sluice, countUnits, expected),
        Loops.Passes(BenchTable.DotNetName, dotNet, countUnits, expected));

    /// <inheritdoc cref="Passes(Func{long}, Func{long}, bool, long?)"/>
    public static Contest Passes(
        Func<ValueTask<long>> sluice, Func<ValueTask<long>> dotNet, bool countUnits = false,
        long? expected = null) => new(
        Loops.Passes("Sluice", sluice, countUnits, expected),
        Loops.Passes(BenchTable.DotNetName, dotNet, countUnits, expected));

    /// <summary>Returns the same contest with a check of the results of Sluice and of .NET after each slice.</summary>
    public Contest Checked(Action<Slice> sluice, Action<Slice> dotNet) =>
        new(Sluice with { Verify = sluice }, DotNet with { Verify = dotNet }, this) { Second = Second };

    public Contest Prepared(Action prepare) =>
        new(Sluice with { Prepare = prepare }, DotNet with { Prepare = prepare }, this)
        {
            Second = Second is null ? null : Second with { Prepare = prepare },
        };

    public void Dispose()
    {
        foreach (IDisposable resource in owned)
            resource.Dispose();
    }
}
