namespace Sluice.Engines;

/// <summary>
/// Parts of a direct handle's transfers that are not whole blocks: they go through the page cache with O_DIRECT taken off for the call, so
/// that the kernel does the read-modify-write under its own inode lock and the end of file is right to the byte, whatever other processes
/// append meanwhile.
/// </summary>
/// <remarks>
/// <see cref="OpenFile.DirectGate"/> keeps the direct writes of this process out meanwhile: a direct write in flight and a cached write
/// into the same page must not meet (open(2), NOTES). Reads that run on the same descriptor go through the page cache too, and are right.
/// </remarks>
internal static class DirectTransfer
{
#if DEBUG
    /// <summary>The largest bounce buffer, in bytes: small in Debug builds, so that every test walks the seams.</summary>
    public const int MaxBounceBytes = 16 * 1024;
#else
    /// <summary>The largest bounce buffer, in bytes; longer transfers go through it piece by piece.</summary>
    public const int MaxBounceBytes = 1024 * 1024;
#endif

    /// <summary>Carries out what passes the page cache; the operation is alone inside the gate.</summary>
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
