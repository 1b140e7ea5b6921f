namespace Sluice;

/// <summary>How <see cref="SluiceReader.ScanAsync"/> cuts and reads a file. Immutable, and therefore thread-safe.</summary>
public sealed class SluiceScanOptions
{
    /// <summary>How many parts are worked on at once.</summary>
    public int Degree { get; init; } = Environment.ProcessorCount;

    /// <summary>The byte that ends a line; not looked at where there is a <see cref="RecordSize"/>.</summary>
    public byte Delimiter { get; init; } = (byte)'\n';

    /// <summary>Bytes of a record, for files of records of one size, at most 1 GiB; 0 for lines.</summary>
    public int RecordSize { get; init; }

    /// <summary>Bytes of a part, about, at most 1 GiB: cut at the next border; a longer line makes its part longer.</summary>
    public int PartSize { get; init; } = 256 * 1024;

    /// <summary>
    /// The part of the file that this process scans, where several share it; the default is the whole file. The lines, or records, of all
    /// shards together are those of the file, each once: a line is its shard's in whose stripe it begins. All need the same
    /// <see cref="Delimiter"/>, <see cref="RecordSize"/> and number of shards; all else may differ, and nobody has to talk. A file that
    /// grows meanwhile: what was there when the first shard began is scanned once, what came later once or not at all. Of one that is cut,
    /// shards that begin later do not see what is gone.
    /// </summary>
    public Shard Shard { get; init; }

    /// <summary>Whether results come in the order of the file, or as they are ready.</summary>
    public bool Ordered { get; init; } = true;

    /// <summary>
    /// How the data passes through the page cache. Not cached is for files that are scanned once: one that is in memory already is scanned
    /// faster from there.
    /// </summary>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>Told how many bytes have been worked on, after each part; of a shard, how many of its own.</summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>The engine; null for the process's own. For tests: see <see cref="InterceptingEngine"/>.</summary>
    public IoEngine? Engine { get; init; }

    internal void Check()
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(Degree, 1);
        ArgumentOutOfRangeException.ThrowIfNegative(RecordSize);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(RecordSize, 1 << 30);
        ArgumentOutOfRangeException.ThrowIfLessThan(PartSize, 1);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(PartSize, 1 << 30);
    }
}
