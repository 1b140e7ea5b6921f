namespace Sluice.Cli.Bench;

/// <summary>The load of a row as a job of fio: io_uring with direct I/O, unless <see cref="IsDurable"/> is set.</summary>
internal sealed record FioJob(string ReadWrite, int RequestSizeBytes, int Depth)
{
    /// <summary>
    /// True if the job transfers a whole file once, like the passes of the row; a written file is new, and is flushed at the end. False if
    /// it makes random requests for a fixed time. Devices that allow bursts are faster for half a second than for the whole file.
    /// </summary>
    public bool IsPass { get; init; }

    /// <summary>
    /// Returns true if one thread calls fdatasync after each write, through the page cache, into a new file with reserved space.
    /// </summary>
    public bool IsDurable { get; init; }

    /// <summary>
    /// Returns true if as many requests as the depth are submitted together, and the next ones when all of them have completed.
    /// </summary>
    public bool IsBatch { get; init; }

    public bool IsWrite => ReadWrite.Contains("write", StringComparison.Ordinal);
}
