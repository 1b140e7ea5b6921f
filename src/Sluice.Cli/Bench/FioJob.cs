namespace Sluice.Cli.Bench;

/// <summary>The same load as fio runs it: io_uring, direct, unless it is made durable.</summary>
internal sealed record FioJob(string ReadWrite, int RequestSizeBytes, int Depth)
{
    /// <summary>
    /// Once over a whole file, which is new and durable at the end if it is written, as the row's contenders do; else for a while at
    /// random. Devices that allow bursts are faster for half a second than for the whole file.
    /// </summary>
    public bool IsPass { get; init; }

    /// <summary>Whether one thread makes a data sync after each write, through the page cache, into a new file whose space is
    /// reserved.</summary>
    public bool IsDurable { get; init; }

    /// <summary>Whether so many requests as the depth are submitted together, and the next ones when all of them are done.</summary>
    public bool IsBatch { get; init; }

    /// <summary>Whether it reads the smaller file of the suite for other machines' file systems.</summary>
    public bool IsRemote { get; init; }

    public bool IsWrite => ReadWrite.Contains("write", StringComparison.Ordinal);
}
