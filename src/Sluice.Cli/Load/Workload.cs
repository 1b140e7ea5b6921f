namespace Sluice.Cli.Load;

/// <summary>What to do to the file, the same for either side.</summary>
internal sealed record Workload(string Path, long FileSizeBytes, int RequestSizeBytes)
{
    /// <summary>0: only reads; 1: only writes.</summary>
    public double WriteShare { get; init; }

    /// <summary>Operations outstanding at once, or null for synchronous calls from one thread.</summary>
    public int? Outstanding { get; init; }

    public double SeekPercent { get; init; }

    public CacheMode Cache { get; init; }

    public bool TouchEveryByte { get; init; }

    public double? OperationsPerSecond { get; init; }

    public int Seed { get; init; } = 1;

    /// <summary>Exponent of a Zipf distribution over the requests of the file; null: by <see cref="SeekPercent"/>.</summary>
    public double? Zipf { get; init; }

    /// <summary>FlushToDisk after so many writes, whoever made them; null: only at the end of a slice.</summary>
    public int? FlushEvery { get; init; }

    /// <summary>What is read or written is read again at the end, by plain calls, and compared.</summary>
    public bool Verify { get; init; }

    /// <summary>The files over which requests are spread in turn; <see cref="FileSizeBytes"/> is of all together.</summary>
    public IReadOnlyList<string> Paths { get; init; } = [Path];

    public bool Writes => WriteShare > 0;

    public TargetOptions OpenOptionsOf(string path) => new(path, FileMode.Open, Writes ? FileAccess.ReadWrite : FileAccess.Read)
    {
        Asynchronous = Outstanding is not null,
        Caching = Cache == CacheMode.Direct ? FileCaching.Direct : FileCaching.Cached,
    };
}

/// <summary>State of the page cache that a run asks for.</summary>
internal enum CacheMode
{
    /// <summary>Cached I/O, whatever happens to be in the cache.</summary>
    AsIs,

    /// <summary>Cached I/O, the file read in before the run.</summary>
    Hot,

    /// <summary>Cached I/O, the file's pages dropped before the run and whenever they could be met again.</summary>
    Cold,

    /// <summary>Past the page cache.</summary>
    Direct,
}
