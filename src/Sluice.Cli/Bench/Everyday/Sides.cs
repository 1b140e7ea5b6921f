namespace Sluice.Cli.Bench.Everyday;

/// <summary>
/// Contests of two calls that do the same work. A call returns how much it has read or written (bytes, characters, lines); any other value
/// than the expected one ends the run. What a call leaves behind is checked after each turn, untimed.
/// </summary>
internal static class Sides
{
    /// <summary>Calls of microseconds: an operation is one call.</summary>
    public static Contest Calls(
        long expected, Func<long> sluice, Func<long> dotNet, Action? checkSluice = null, Action? checkDotNet = null)
    {
        return Pair(Repeat(sluice), Repeat(dotNet), checkSluice, checkDotNet);

        Func<Slice, Task> Repeat(Func<long> call) => slice => Loops.Repeat(slice, _ => Require(expected, call()));
    }

    /// <summary>Passes of a millisecond and more: an operation is one pass, or one of the parts that it consists of.</summary>
    public static Contest Passes(
        long expected, Func<long> sluice, Func<long> dotNet, Action? checkSluice = null, Action? checkDotNet = null, long parts = 1)
    {
        return Pair(Whole(sluice), Whole(dotNet), checkSluice, checkDotNet);

        Func<Slice, Task> Whole(Func<long> pass) => Loops.Whole(() => Require(expected, pass()), parts);
    }

    /// <inheritdoc cref="Passes"/>
    public static Contest PassesAsync(
        long expected, Func<Task<long>> sluice, Func<Task<long>> dotNet, Action? checkSluice = null, Action? checkDotNet = null,
        long parts = 1)
    {
        return Pair(Whole(sluice), Whole(dotNet), checkSluice, checkDotNet);

        Func<Slice, Task> Whole(Func<Task<long>> passAsync) => Loops.Whole(async () => Require(expected, await passAsync()), parts);
    }

    private static Contest Pair(
        Func<Slice, Task> sluice, Func<Slice, Task> dotNet, Action? checkSluice, Action? checkDotNet) => new(
        new Contender("Sluice", sluice) { IsPass = true, Verify = checkSluice is null ? null : _ => checkSluice() },
        new Contender(BenchTable.DotNetName, dotNet) { IsPass = true, Verify = checkDotNet is null ? null : _ => checkDotNet() });

    private static void Require(long expected, long actual)
    {
        if (actual != expected)
            throw new IOException($"a call of the benchmark gave {actual} instead of {expected}");
    }
}
