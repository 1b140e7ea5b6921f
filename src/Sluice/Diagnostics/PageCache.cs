using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>The page cache, for benchmarks that measure cold files.</summary>
internal static class PageCache
{
    /// <summary>Writes a file's dirty pages back and drops all its pages; false where that cannot be done.</summary>
    public static bool Drop(SafeFileHandle file)
    {
        return Libc.IsSupported && Libc.FlushData((int)file.DangerousGetHandle()) == 0 && DropClean(file);
    }

    /// <summary>
    /// Drops those of a file's pages that need no writing back; false where that cannot be done. A flush of one file waits for the
    /// device even when there is nothing to write (0.3 ms each), so that of many files the file system is flushed once, before.
    /// </summary>
    public static bool DropClean(SafeFileHandle file)
    {
        if (!Libc.IsSupported)
        {
            return false;
        }

        int fd = (int)file.DangerousGetHandle();
        CacheCalls.Drop(fd, 0, 0);
        GC.KeepAlive(file);
        return true;
    }
}
