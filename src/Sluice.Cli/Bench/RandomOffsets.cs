namespace Sluice.Cli.Bench;

/// <summary>
/// Where whole requests at random begin, in one order for all contenders of a row. A loop goes on where the same loop of the turn before
/// ended, whoever's turn that was: what a disk, its controller or its host keeps in memory then answers nobody with what was read before.
/// </summary>
internal sealed class RandomOffsets
{
    /// <summary>As many as 1 GiB has pages.</summary>
    private const int Count = 1 << 18;

    private readonly long[] _offsets;
    private readonly int[] _places;

    /// <param name="offsets">In this order, again and again.</param>
    /// <param name="loops">How many of a contender's loops read at once, each from a part of the order of its own.</param>
    public RandomOffsets(long[] offsets, int loops)
    {
        _offsets = offsets;
        _places = [.. Enumerable.Range(0, loops).Select(loop => (int)((long)loop * offsets.Length / loops))];
    }

    public static RandomOffsets Of(long fileSizeBytes, int requestSizeBytes, int loops = 1)
    {
        var random = new Random(42);
        long[] offsets = new long[Count];
        for (int i = 0; i < offsets.Length; i++)
            offsets[i] = random.NextInt64(fileSizeBytes / requestSizeBytes) * requestSizeBytes;
        return new RandomOffsets(offsets, loops);
    }

    public long this[int place] => _offsets[(uint)place % (uint)_offsets.Length];

    /// <summary>The first place of this loop in a turn.</summary>
    public int Begin(int loop) => _places[loop];

    /// <summary>The turn is over, and this place is the next one of this loop.</summary>
    public void End(int loop, int place) => _places[loop] = (int)((uint)place % (uint)_offsets.Length);
}
