namespace Sluice.Cli.Load;

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
