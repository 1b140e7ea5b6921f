namespace Sluice.Engines;

/// <summary>
/// Transfers of a direct file through the page cache: the partial pages of a write, appends, and reads that direct I/O cannot complete.
/// O_DIRECT is off during the call, so that the kernel reads, modifies and writes the block under its inode lock, even if other processes
/// append to the file.
/// </summary>
/// <remarks>
/// Meanwhile, <see cref="OpenFile.DirectGate"/> excludes direct writes of this process. Concurrent reads of the same descriptor also go
/// through the page cache, which is correct.
/// </remarks>
internal static class DirectTransfer
{
#if DEBUG
    /// <summary>The maximum size of a bounce buffer, in bytes. Small in Debug builds, so that tests exceed it.</summary>
    public const int MaxBounceBytes = 16 * 1024;
#else
    /// <summary>The maximum size of a bounce buffer, in bytes. Longer transfers use it in pieces.</summary>
    public const int MaxBounceBytes = 1024 * 1024;
#endif

    /// <summary>Performs a submission through the page cache. The operation must have entered the gate exclusively.</summary>
    public static int RunThroughCache(IoOperation operation)
    {
        OpenFile handle = operation.Handle;
        handle.SuspendDirect();
        try
        {
            return LinuxTransfer.RunPlainly(operation);
        }
        finally
        {
            handle.ResumeDirect();
        }
    }
}
