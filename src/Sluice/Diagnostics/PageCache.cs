using Microsoft.Win32.SafeHandles;
using Sluice.Kernel;

namespace Sluice.Diagnostics;

/// <summary>Controls the page cache, for benchmarks of uncached files.</summary>
internal static class PageCache
{
    /// <summary>Writes the dirty pages of a file back and drops all its pages. Returns false if this is not possible.</summary>
    public static bool Drop(SafeFileHandle file)
    {
        return Libc.IsSupported && Libc.FlushData((int)file.DangerousGetHandle()) == 0 && DropClean(file);
    }

    /// <summary>
    /// Drops the clean pages of a file. Returns false if this is not possible. For many files, flush the file system once before: a flush
    /// of a single file waits for the device even if nothing is dirty (0.3 ms).
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
