namespace Sluice.Cli.Bench;

/// <summary>The load of a row as a job of fio: io_uring with direct I/O, unless <see cref="IsDurable"/> is set.</summary>
/// <param name="IsPass">
/// True if the job transfers a whole file once, like the passes of the row; a written file is new, and is flushed at the end. False if it
/// makes random requests for a fixed time. Devices that allow bursts are faster for half a second than for the whole file.
/// </param>
/// <param name="IsDurable">
/// True if one thread calls fdatasync after each write, through the page cache, into a new file with reserved space.
/// </param>
/// <param name="IsBatch">
/// True if as many requests as the depth are submitted together, and the next ones when all of them have completed.
/// </param>
internal sealed record FioJob(
    string ReadWrite, int RequestSizeBytes, int Depth, bool IsPass = false, bool IsDurable = false, bool IsBatch = false)
{
    public bool IsWrite => ReadWrite.Contains("write", StringComparison.Ordinal);
}
