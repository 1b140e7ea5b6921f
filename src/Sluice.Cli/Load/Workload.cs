namespace Sluice.Cli.Load;

/// <summary>The I/O to measure. The same workload runs on Sluice and on .NET.</summary>
internal record Workload(string Path, long FileSizeBytes, int RequestSizeBytes)
{
    /// <summary>The share of writes: 0 for only reads, 1 for only writes.</summary>
    public double WriteShare { get; init; }

    /// <summary>The number of outstanding operations; null for synchronous calls from one thread.</summary>
    public int? Outstanding { get; init; }

    public double SeekPercent { get; init; }

    public CacheMode Cache { get; init; }

    public bool TouchEveryByte { get; init; }

    public double? OperationsPerSecond { get; init; }

    public int Seed { get; init; } = 1;

    /// <summary>The exponent of a Zipf distribution over the requests of the file; null to use <see cref="SeekPercent"/>.</summary>
    public double? Zipf { get; init; }

    /// <summary>
    /// The number of writes, of all loops together, after which FlushToDisk is called; null for only at the end of a slice.
    /// </summary>
    public int? FlushEvery { get; init; }

    /// <summary>True to read the same ranges again at the end and to compare them.</summary>
    public bool Verify { get; init; }

    public bool Writes => WriteShare > 0;

    public TargetOptions OpenOptions => new(Path, FileMode.Open, Writes ? FileAccess.ReadWrite : FileAccess.Read)
    {
        Asynchronous = Outstanding is not null,
        Caching = Cache == CacheMode.Direct ? FileCaching.Direct : FileCaching.Cached,
    };
}

/// <summary>The requested state of the page cache.</summary>
internal enum CacheMode
{
    /// <summary>Cached I/O; the state of the cache is not changed.</summary>
    AsIs,

    /// <summary>Cached I/O; the file is read before the run.</summary>
    Hot,

    /// <summary>Cached I/O; the file's pages are dropped before each slice and before they could be read again.</summary>
    Cold,

    /// <summary>Direct I/O.</summary>
    Direct,
}
