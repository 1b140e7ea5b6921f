namespace Sluice.Cli.Bench;

/// <summary>
/// A fixed sequence of random, request-aligned offsets that all contenders of a row share. Each loop continues where the loop with the same
/// number ended in the previous slice, whichever contender ran it, so that no cache of the disk, its controller or its host holds the data.
/// </summary>
internal sealed class RandomOffsets
{
    /// <summary>The number of 4 KiB pages of 1 GiB.</summary>
    private const int Count = 1 << 18;

    // Positions are a cache line apart, so that loops on different processors do not slow each other down.
    private const int Stride = 16;

    private readonly long[] _offsets;
    private readonly int[] _positions;

    /// <param name="offsets">The offsets, which repeat from the start after the last one.</param>
    /// <param name="loops">The number of concurrent loops. Each loop starts at a different position in the sequence.</param>
    public RandomOffsets(long[] offsets, int loops)
    {
        _offsets = offsets;
        _positions = new int[loops * Stride];
        for (int loop = 0; loop < loops; loop++)
            _positions[loop * Stride] = (int)((long)loop * offsets.Length / loops);
    }

    public static RandomOffsets Of(long fileSizeBytes, int requestSizeBytes, int loops = 1)
    {
        var random = new Random(42);
        long[] offsets = new long[Count];
        for (int i = 0; i < offsets.Length; i++)
            offsets[i] = random.NextInt64(fileSizeBytes / requestSizeBytes) * requestSizeBytes;
        return new RandomOffsets(offsets, loops);
    }

    /// <summary>Returns the next offset of the loop.</summary>
    public long Next(int loop)
    {
        ref int position = ref _positions[loop * Stride];
        long offset = _offsets[position];
        position = position + 1 == _offsets.Length ? 0 : position + 1;
        return offset;
    }
}
