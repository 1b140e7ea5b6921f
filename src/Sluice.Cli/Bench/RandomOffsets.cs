namespace Sluice.Cli.Bench;

/// <summary>
/// Where whole requests at random begin, in one order for all contenders of a row. A loop goes on where the same loop of the turn before
/// ended, whoever's turn that was: what a disk, its controller or its host keeps in memory then answers nobody with what was read before.
/// </summary>
internal sealed class RandomOffsets
{
    /// <summary>As many as 1 GiB has pages.</summary>
    private const int Count = 1 << 18;

    // Places a cache line apart: loops on different processors must not slow each other down.
    private const int Stride = 16;

    private readonly long[] _offsets;
    private readonly int[] _places;

    /// <param name="offsets">In this order, again and again.</param>
    /// <param name="loops">How many of a contender's loops read at once, each from a part of the order of its own.</param>
    public RandomOffsets(long[] offsets, int loops)
    {
        _offsets = offsets;
        _places = new int[loops * Stride];
        for (int loop = 0; loop < loops; loop++)
            _places[loop * Stride] = (int)((long)loop * offsets.Length / loops);
    }

    public static RandomOffsets Of(long fileSizeBytes, int requestSizeBytes, int loops = 1)
    {
        var random = new Random(42);
        long[] offsets = new long[Count];
        for (int i = 0; i < offsets.Length; i++)
            offsets[i] = random.NextInt64(fileSizeBytes / requestSizeBytes) * requestSizeBytes;
        return new RandomOffsets(offsets, loops);
    }

    /// <summary>The next one of this loop.</summary>
    public long Next(int loop)
    {
        ref int place = ref _places[loop * Stride];
        long offset = _offsets[place];
        place = place + 1 == _offsets.Length ? 0 : place + 1;
        return offset;
    }
}
