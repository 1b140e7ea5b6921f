using Microsoft.Win32.SafeHandles;

namespace Sluice.Interop;

/// <summary>The page cache, for benchmarks that measure cold files.</summary>
internal static class PageCache
{
    /// <summary>Writes a file's dirty pages back and drops all its pages; false where that cannot be done.</summary>
    public static bool Drop(SafeFileHandle file)
    {
        if (!Libc.IsSupported)
        {
            return false;
        }

        int fd = (int)file.DangerousGetHandle();
        _ = Libc.Flush(fd, dataOnly: true);
        Libc.DropFromCache(fd, 0, 0);
        GC.KeepAlive(file);
        return true;
    }
}
