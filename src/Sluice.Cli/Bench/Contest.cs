namespace Sluice.Cli.Bench;

/// <summary>An opened row: its sides and what has to be closed after it.</summary>
internal sealed class Contest(Contender sluice, Contender dotNet, params IDisposable[] owned) : IDisposable
{
    public Contest(Func<Slice, Task> sluice, Func<Slice, Task> dotNet, Action? prepare = null, params IDisposable[] owned)
        : this(
            new Contender("Sluice", sluice) { Prepare = prepare },
            new Contender(BenchTable.DotNetName, dotNet) { Prepare = prepare }, owned)
    {
    }

    public Contender Sluice { get; } = sluice;

    public Contender DotNet { get; } = dotNet;

    public Contender? Second { get; init; }

    public IEnumerable<Contender> All => Second is null ? [Sluice, DotNet] : [Sluice, DotNet, Second];

    /// <summary>Both sides pass over a file again and again, as in <see cref="Loops.Passes(string, Func{long}, bool, bool, long?)"/>.</summary>
    public static Contest Passes(
        Func<long> sluice, Func<long> dotNet, bool countUnits = false, bool isSingle = false, long? expected = null) => new(
        Loops.Passes("Sluice", sluice, countUnits, isSingle, expected),
        Loops.Passes(BenchTable.DotNetName, dotNet, countUnits, isSingle, expected));

    /// <inheritdoc cref="Passes(Func{long}, Func{long}, bool, bool, long?)"/>
    public static Contest Passes(
        Func<ValueTask<long>> sluice, Func<ValueTask<long>> dotNet, bool countUnits = false, bool isSingle = false,
        long? expected = null) => new(
        Loops.Passes("Sluice", sluice, countUnits, isSingle, expected),
        Loops.Passes(BenchTable.DotNetName, dotNet, countUnits, isSingle, expected));

    /// <summary>The same contest with a check of each side's results after each of its turns.</summary>
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
