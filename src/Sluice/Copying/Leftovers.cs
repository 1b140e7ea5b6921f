using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>What killed processes leave in a folder under temporary names.</summary>
[SupportedOSPlatform("linux")]
internal static class Leftovers
{
    private const long SecondsUntilStale = 24 * 60 * 60;

    // File systems on which a lock may say nothing about other machines: nfs, smb, cifs, fuse, 9p, ceph, afs, lustre, gfs2, ocfs2.
    private static readonly long[] Shared =
    [
        0x6969, 0x517B, 0xFE534D42, 0xFF534D42, 0x65735546, 0x01021997, 0x00C36400, 0x5346414F, 0x0BD00BD0, 0x01161970, 0x7461636F,
    ];

    /// <summary>Removes the files and trees whose makers are gone, and says which.</summary>
    public static List<string> Remove(string folder)
    {
        DirectoryReader? reader = DirectoryReader.TryOpen(folder, out int errno);
        if (reader is null)
        {
            throw errno == -Errno.ENOENT
                ? new DirectoryNotFoundException($"There is no folder '{folder}'.")
                : PathErrors.Create(errno, "Opening the folder", folder);
        }

        try
        {
            bool isShared = Shared.Contains(Libc.FileSystemType(reader.Descriptor) & uint.MaxValue);
            List<string> removed = [];
            PathErrors.ThrowIfFailed(reader.ReadNames(out List<byte[]> names), "Reading the folder", folder);
            foreach (byte[] name in names)
            {
                NodePath path = NodePath.In(reader.Descriptor, name, folder);
                if (TemporaryName.IsOne(path.Leaf) && TryRemove(path, isShared))
                {
                    removed.Add(path.Text);
                }
            }

            return removed;
        }
        finally
        {
            reader.Release();
        }
    }

    private static bool TryRemove(in NodePath name, bool isShared)
    {
        using Descriptor opened = new(PathCalls.Open(name, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking));
        if (opened.Fd < 0 || Libc.Stat(opened.Fd, StatxMask.BasicStats, out Statx stat) < 0)
        {
            return false;
        }

        // Where a lock may not be seen, time has to tell.
        if (isShared && DateTimeOffset.UtcNow.ToUnixTimeSeconds() - Math.Max(stat.Mtime.Seconds, stat.Ctime.Seconds) < SecondsUntilStale)
        {
            return false;
        }

        return (stat.Mode & Statx.TypeMask) == Statx.TypeDirectory
            ? TemporaryFolder.TryRemoveLeftover(opened.Fd, name)
            : TemporaryFile.TryRemoveLeftover(opened.Fd, name);
    }
}
