namespace Sluice.Cli.Bench;

/// <summary>The same load as fio runs it: io_uring, direct.</summary>
internal sealed record FioJob(string ReadWrite, int RequestSizeBytes, int Depth)
{
    /// <summary>
    /// Once over a whole file, which is new and durable at the end if it is written, as the row's contenders do; else for a while at
    /// random. Devices that allow bursts are faster for half a second than for the whole file.
    /// </summary>
    public bool IsPass { get; init; }

    public bool IsWrite => ReadWrite.Contains("write", StringComparison.Ordinal);
}
