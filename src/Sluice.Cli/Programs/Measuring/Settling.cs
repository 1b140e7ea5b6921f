using Sluice.Errors;
using Sluice.Interop;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Between two measurements, untimed: what one has left behind is not the next one's to carry away.</summary>
internal static class Settling
{
    // With less than this made since the last collection, the next one is as far away as after it.
    private const long LittleGarbageBytes = 1 << 20;

    private static long s_allocatedAtCollection;

    /// <summary>Has the file system write all that it holds back, deleted files among it.</summary>
    public static void FileSystemOf(string folder)
    {
        if (!Libc.IsSupported)
            return;
        int fd = PathCalls.Open(PathCalls.ToKernel(folder), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", folder);
        _ = CopyCalls.FlushFileSystem(fd);
        PathCalls.Close(fd);
    }

    /// <summary>Collects the garbage, so that each measurement begins with an empty nursery of the same size.</summary>
    public static void Memory()
    {
        if (GC.GetTotalAllocatedBytes() - s_allocatedAtCollection < LittleGarbageBytes)
            return;
        GC.Collect();
        s_allocatedAtCollection = GC.GetTotalAllocatedBytes();
    }
}
