namespace Sluice;

/// <summary>Provides options for <see cref="SluiceReader.ScanAsync"/>.</summary>
/// <remarks>
/// This type is immutable and therefore thread-safe. <see cref="SluiceReader.ScanAsync"/> checks the values when the first result
/// is requested.
/// </remarks>
public sealed class SluiceScanOptions
{
    /// <summary>
    /// Gets the number of parts that are processed at the same time, at least 1. The default is
    /// <see cref="Environment.ProcessorCount"/>.
    /// </summary>
    public int Degree { get; init; } = Environment.ProcessorCount;

    /// <summary>
    /// Gets the byte that ends a line. The default is LF (10). It is ignored if <see cref="RecordSize"/> is not 0.
    /// </summary>
    public byte Delimiter { get; init; } = (byte)'\n';

    /// <summary>
    /// Gets the size of one record, in bytes, at most 1 GiB, for a file of records of fixed size. The default is 0, which means
    /// that the file consists of lines.
    /// </summary>
    public int RecordSize { get; init; }

    /// <summary>
    /// Gets the approximate size of a part, in bytes, from 1 byte to 1 GiB. The default is 262,144 (256 KiB). A part ends at the
    /// next line or record boundary, and a long line makes its part longer.
    /// </summary>
    public int PartSize { get; init; } = 256 * 1024;

    /// <summary>
    /// Gets the part of the file that this process scans, if several processes share the work. The default is the whole file.
    /// </summary>
    /// <remarks>
    /// <para>The shards together process each line or record of the file exactly once. A line belongs to the shard in whose range
    /// of the file it begins. All shards must use the same <see cref="Delimiter"/>, <see cref="RecordSize"/> and
    /// <see cref="Sluice.Shard.Count"/>. The other options may differ, and the processes need not communicate.</para>
    /// <para>If the file grows during the scan, the data that existed when the first shard began is processed exactly once, and
    /// later data is processed once or not at all. If the file is truncated, shards that begin later do not see the removed
    /// data.</para>
    /// </remarks>
    public Shard Shard { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the results are returned in the order of the file. The default is
    /// <see langword="true"/>. With <see langword="false"/> each result is returned as soon as it is available.
    /// </summary>
    public bool Ordered { get; init; } = true;

    /// <summary>
    /// Gets a value that specifies how the data passes through the page cache of the operating system. The default is
    /// <see cref="FileCaching.Cached"/>.
    /// </summary>
    /// <remarks>
    /// <see cref="FileCaching.Uncached"/> and <see cref="FileCaching.Direct"/> are meant for files that are read once. A file
    /// that is already in the page cache is scanned faster with <see cref="FileCaching.Cached"/>.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets the object that receives the number of bytes processed so far, after each part. With a <see cref="Shard"/>, it is the
    /// number of bytes of this shard. Several threads may call it at the same time. The default is <see langword="null"/>.
    /// </summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// Gets the engine that performs the I/O. The default is <see langword="null"/>, which selects the engine of the process.
    /// Setting it is meant for tests; see <see cref="InterceptingEngine"/>.
    /// </summary>
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
