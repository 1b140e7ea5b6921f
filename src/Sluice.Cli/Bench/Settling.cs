using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Untimed work between two measurements that keeps the effects of the first one out of the second one.</summary>
internal static class Settling
{
    // If less has been allocated since the last collection, another one is not needed.
    private const long LittleGarbageBytes = 1 << 20;

    private static long s_allocatedAtCollection;

    /// <summary>
    /// Makes the file system write all pending data, including that of deleted files. Does nothing if Linux calls are unavailable.
    /// </summary>
    public static void FileSystemOf(string folder)
    {
        if (!CapabilityProbe.IsSupported)
            return;
        using OpenFolder opened = OpenFolder.Open(folder);
        opened.FlushFileSystem();
    }

    /// <summary>
    /// Collects garbage unless little was allocated since the last collection, so that measurements begin with a small heap.
    /// </summary>
    public static void Memory()
    {
        if (GC.GetTotalAllocatedBytes() - s_allocatedAtCollection < LittleGarbageBytes)
            return;
        GC.Collect();
        s_allocatedAtCollection = GC.GetTotalAllocatedBytes();
    }
}
