namespace Sluice;

/// <summary>Provides options for <see cref="SluiceReader.ScanAsync"/>.</summary>
/// <remarks>
/// This type is immutable and therefore thread-safe. <see cref="SluiceReader.ScanAsync"/> checks the values when the first result
/// is requested, and throws an <see cref="ArgumentOutOfRangeException"/> if one is outside its range.
/// </remarks>
public sealed class SluiceScanOptions
{
    /// <summary>
    /// Gets the number of parts that are processed at the same time, at least 1. The default is
    /// <see cref="Environment.ProcessorCount"/>.
    /// </summary>
    public int Degree { get; init; } = Environment.ProcessorCount;

    /// <summary>
    /// Gets the byte that ends a line. The default is LF (10). The value is ignored if <see cref="RecordSize"/> is not 0.
    /// </summary>
    public byte Delimiter { get; init; } = (byte)'\n';

    /// <summary>
    /// Gets the size of one record, in bytes, for a file of fixed-size records. The maximum is 1 GiB. The default is 0, which means that
    /// the file consists of lines.
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
    /// <para>Together, the shards process each line or record of the file exactly once. All shards must use the same
    /// <see cref="Delimiter"/>, <see cref="RecordSize"/> and <see cref="Sluice.Shard.Count"/>. The other options may differ, and the
    /// processes need not communicate.</para>
    /// <para>Data that is appended after the first shard has begun is processed once or not at all. If the file is truncated, shards that
    /// begin later do not process the removed data.</para>
    /// </remarks>
    public Shard Shard { get; init; }

    /// <summary>
    /// Gets a value that indicates whether the results are returned in the order of the file. The default is
    /// <see langword="true"/>. With <see langword="false"/> each result is returned as soon as it is available.
    /// </summary>
    public bool Ordered { get; init; } = true;

    /// <summary>Gets the caching mode of the file. The default is <see cref="FileCaching.Cached"/>.</summary>
    /// <remarks>
    /// <see cref="FileCaching.Uncached"/> and <see cref="FileCaching.Direct"/> are intended for files that are read once. A file that is
    /// already in the page cache is scanned faster with <see cref="FileCaching.Cached"/>.
    /// </remarks>
    public FileCaching Caching { get; init; } = FileCaching.Cached;

    /// <summary>
    /// Gets the object that receives the number of bytes that this process has processed, after each part. Several threads can call it at
    /// the same time. The default is <see langword="null"/>.
    /// </summary>
    public IProgress<long>? Progress { get; init; }

    /// <summary>
    /// Gets the engine for the file. The default is <see langword="null"/>, which selects the default engine. This property is intended for
    /// tests; see <see cref="InterceptingEngine"/>.
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
