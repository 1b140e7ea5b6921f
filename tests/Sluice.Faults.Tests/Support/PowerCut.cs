using Shouldly;
using Sluice.Faults.Child.Support;
using Xunit;

namespace Sluice.Faults.Tests.Support;

/// <summary>
/// A file system is ended as a power cut would (EXT4_IOC_SHUTDOWN, XFS_IOC_GOINGDOWN without flushing the log) and mounted again.
/// </summary>
public static class PowerCut
{
    /// <summary>The file systems that can be ended, with every caching, and either way of whatever the test does in two ways.</summary>
    public static TheoryData<FileSystemKind, FileCaching, bool> Cases()
    {
        TheoryData<FileSystemKind, FileCaching, bool> cases = [];
        foreach (FileSystemKind kind in (FileSystemKind[])[FileSystemKind.Ext4, FileSystemKind.Xfs])
        {
            foreach (FileCaching caching in Enum.GetValues<FileCaching>())
            {
                cases.Add(kind, caching, false);
                cases.Add(kind, caching, true);
            }
        }

        return cases;
    }

    /// <summary>Makes a file that is never flushed, and cuts; skips the test where that cannot be done.</summary>
    public static void Cut(Mount mount, FileSystemKind kind)
    {
        File.WriteAllBytes(Lost(mount), new byte[100_000]);
        int result = Native.ShutDown(mount.Folder);
        Skip.If(result != 0, $"{kind} cannot be shut down here (errno {result})");
    }

    /// <summary>After mounting again: the file that was never flushed proves that a cut really loses what only the cache held.</summary>
    public static void ShouldHaveLost(Mount mount) =>
        HasLost(mount).ShouldBeTrue("the cut lost nothing, so this test proves nothing");

    /// <summary>False where somebody's sync(2) has come between, for instance.</summary>
    public static bool HasLost(Mount mount) => new FileInfo(Lost(mount)) is not { Exists: true, Length: > 0 };

    private static string Lost(Mount mount) => Path.Combine(mount.Folder, "lost");
}
