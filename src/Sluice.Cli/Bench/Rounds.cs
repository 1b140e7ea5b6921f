namespace Sluice.Cli.Bench;

/// <summary>The order of the sides in a round.</summary>
internal static class Rounds
{
    /// <summary>Every other round backwards: whoever follows a writer meets its leftovers, and no side always should.</summary>
    public static IEnumerable<T> ThereAndBack<T>(IReadOnlyList<T> sides, int round) => round % 2 == 0 ? sides : sides.Reverse();
}
