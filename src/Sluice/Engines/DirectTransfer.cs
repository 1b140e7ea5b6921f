namespace Sluice.Engines;

/// <summary>
/// Transfers of a direct file that do not consist of whole blocks. They go through the page cache, with O_DIRECT off for the call, so that
/// the kernel reads, modifies and writes the block under its inode lock, even if other processes append to the file.
/// </summary>
/// <remarks>
/// <see cref="OpenFile.DirectGate"/> excludes direct writes of this process meanwhile. Reads of the same descriptor then go through the page
/// cache too, which is correct.
/// </remarks>
internal static class DirectTransfer
{
#if DEBUG
    /// <summary>Maximum size of a bounce buffer, in bytes. Small in Debug builds, so that tests exceed it.</summary>
    public const int MaxBounceBytes = 16 * 1024;
#else
    /// <summary>Maximum size of a bounce buffer, in bytes. Longer transfers use it in pieces.</summary>
    public const int MaxBounceBytes = 1024 * 1024;
#endif

    /// <summary>Makes a submission through the page cache. The operation is exclusively inside the gate.</summary>
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
