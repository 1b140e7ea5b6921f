namespace Sluice.Cli.Bench;

/// <summary>
/// Random offsets of whole requests, in one order for all contenders of a row. A loop continues where the same loop of the preceding turn
/// ended, of either side, so that no cache of the disk, its controller or its host holds the data.
/// </summary>
internal sealed class RandomOffsets
{
    /// <summary>The number of 4 KiB pages of 1 GiB.</summary>
    private const int Count = 1 << 18;

    // Positions are a cache line apart, so that loops on different processors do not slow each other down.
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
