using Sluice.Cli.Bench;

namespace Sluice.Cli.Compare;

/// <summary>One row of two bench runs. Each interval is the second run over the first.</summary>
/// <param name="Sides">Of Sluice's ratio to .NET: what the machine did to both sides alike is not in it.</param>
internal sealed record RowChange(RowReport Before, RowReport After, RatioInterval? Sluice, RatioInterval? DotNet, RatioInterval? Sides)
{
    public RowVerdict Verdict =>
        Sides is not { IsTooWide: false } ? RowVerdict.Unknown
        : Sides.IsAbove ? RowVerdict.Faster
        : Sides.IsBelow ? RowVerdict.Slower
        : (Sluice is { IsAbove: true } && DotNet is { IsAbove: true }) || (Sluice is { IsBelow: true } && DotNet is { IsBelow: true })
            ? RowVerdict.Machine
        : RowVerdict.Noise;

    public static RowChange Of(RowReport before, RowReport after, double confidence) => new(
        before, after,
        RatioInterval.Of(before.Sluice.SliceRates, after.Sluice.SliceRates, confidence),
        RatioInterval.Of(before.DotNet.SliceRates, after.DotNet.SliceRates, confidence),
        RatioInterval.Of(before.RoundRatios, after.RoundRatios, confidence));
}

internal enum RowVerdict
{
    /// <summary>There are too few rounds, or they vary too much.</summary>
    Unknown,

    /// <summary>The change is within the variation of the rounds.</summary>
    Noise,

    /// <summary>Faster in comparison with .NET.</summary>
    Faster,

    Slower,

    /// <summary>Both sides changed in the same way.</summary>
    Machine,
}
