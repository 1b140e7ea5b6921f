using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Untimed work between two measurements, so that the effects of one do not burden the next.</summary>
internal static class Settling
{
    // If less has been allocated since the last collection, another one is not needed.
    private const long LittleGarbageBytes = 1 << 20;

    private static long s_allocatedAtCollection;

    /// <summary>Makes the file system write all pending data, including that of deleted files.</summary>
    public static void FileSystemOf(string folder)
    {
        if (!CapabilityProbe.IsSupported)
            return;
        using OpenFolder opened = OpenFolder.Open(folder);
        opened.FlushFileSystem();
    }

    /// <summary>Collects garbage, so that each measurement begins with an empty generation 0 of the same size.</summary>
    public static void Memory()
    {
        if (GC.GetTotalAllocatedBytes() - s_allocatedAtCollection < LittleGarbageBytes)
            return;
        GC.Collect();
        s_allocatedAtCollection = GC.GetTotalAllocatedBytes();
    }
}
