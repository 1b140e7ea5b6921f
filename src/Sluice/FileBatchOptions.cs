namespace Sluice;

/// <summary>How a batch of small files is read or written. Not thread-safe while it is being changed.</summary>
public sealed class FileBatchOptions
{
    private int _maxDegreeOfParallelism = Environment.ProcessorCount;

    /// <summary>Groups of up to 32 files that are worked on at once (the number of processors).</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is not positive.</exception>
    public int MaxDegreeOfParallelism
    {
        get => _maxDegreeOfParallelism;
        set
        {
            ArgumentOutOfRangeException.ThrowIfNegativeOrZero(value);
            _maxDegreeOfParallelism = value;
        }
    }

    /// <summary>Whether the first path that fails ends the batch with its exception (false: it is reported, and the rest goes on).</summary>
    public bool StopsOnError { get; set; }
}
