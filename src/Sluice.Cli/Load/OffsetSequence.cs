namespace Sluice.Cli.Load;

/// <summary>
/// The offsets of whole requests: in sequence (0 % seek), or at random. A random offset lies within a distance of the preceding one that is
/// a percentage of the file (100 %: anywhere). Thread-safe; the same seed gives the same offsets.
/// </summary>
internal sealed class OffsetSequence
{
    private const long Scatter = 2_654_435_761;
    private const long OtherScatter = 2_147_483_647;

    private readonly long _blocks;
    private readonly long _reachBlocks;
    private readonly int _requestSizeBytes;
    private readonly Lock _lock = new();
    private readonly Random _random;
    private readonly ZipfNumbers? _zipf;
    private long _nextBlock;

    public OffsetSequence(long fileSizeBytes, int requestSizeBytes, double seekPercent, int seed, double? zipf = null)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(fileSizeBytes, requestSizeBytes);
        _requestSizeBytes = requestSizeBytes;
        _blocks = fileSizeBytes / requestSizeBytes;
        _reachBlocks = seekPercent == 0 ? 0 : Math.Max(1, (long)Math.Ceiling(_blocks * seekPercent / 100));
        _random = new Random(seed);
        _zipf = zipf is { } exponent ? new ZipfNumbers(_blocks, exponent, _random) : null;
        _nextBlock = _zipf is null ? 0 : NextPopular();
    }

    /// <summary>The number of times that the sequence has started again at the beginning of the file.</summary>
    public long Wraps { get; private set; }

    public long Next()
    {
        lock (_lock)
        {
            long block = _nextBlock;
            if (_zipf is not null)
            {
                _nextBlock = NextPopular();
            }
            else if (_reachBlocks == 0)
            {
                _nextBlock = block + 1 == _blocks ? 0 : block + 1;
                if (_nextBlock == 0)
                    Wraps++;
            }
            else
            {
                long low = Math.Max(0, block - _reachBlocks);
                long high = Math.Min(_blocks - 1, block + _reachBlocks);
                _nextBlock = _random.NextInt64(low, high + 1);
            }
            return block * _requestSizeBytes;
        }
    }

    // Scatters popular offsets over the file: multiplication by a prime that does not divide the count only changes the order.
    private long NextPopular()
    {
        long prime = _blocks % Scatter == 0 ? OtherScatter : Scatter;
        return (long)((UInt128)_zipf!.Next() * (UInt128)prime % (UInt128)_blocks);
    }
}
