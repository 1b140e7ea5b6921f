namespace Sluice.Cli.Load;

/// <summary>The I/O to measure. The same workload runs on Sluice and on .NET.</summary>
/// <param name="WriteShare">The share of writes: 0 for only reads, 1 for only writes.</param>
/// <param name="Outstanding">The number of outstanding operations; null for synchronous calls from one thread.</param>
/// <param name="Zipf">The exponent of a Zipf distribution over the requests of the file; null to use <see cref="SeekPercent"/>.</param>
/// <param name="FlushEvery">
/// The number of writes, of all loops together, after which FlushToDisk is called; null for only at the end of a slice.
/// </param>
/// <param name="Verify">True to read the same ranges again at the end and to compare them.</param>
internal record Workload(
    string Path, long FileSizeBytes, int RequestSizeBytes, double WriteShare = 0, int? Outstanding = null, double SeekPercent = 0,
    CacheMode Cache = CacheMode.AsIs, bool TouchEveryByte = false, double? OperationsPerSecond = null, int Seed = 1,
    double? Zipf = null, int? FlushEvery = null, bool Verify = false)
{
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
