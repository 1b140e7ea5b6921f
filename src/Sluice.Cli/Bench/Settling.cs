using Sluice.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Between two measurements, untimed: what one has left behind is not the next one's to carry away.</summary>
internal static class Settling
{
    // With less than this made since the last collection, the next one is as far away as after it.
    private const long LittleGarbageBytes = 1 << 20;

    private static long s_allocatedAtCollection;

    /// <summary>Has the file system write all that it holds back, deleted files among it.</summary>
    public static void FileSystemOf(string folder)
    {
        if (!CapabilityProbe.IsSupported)
            return;
        using OpenFolder opened = OpenFolder.Open(folder);
        opened.FlushFileSystem();
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
