using System.Runtime.Versioning;
using System.Text;
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

    // nfs, smb, cifs, fuse, 9p, ceph, afs, lustre, gfs2, ocfs2.
    private static readonly long[] Shared =
    [
        0x6969, 0x517B, 0xFE534D42, 0xFF534D42, 0x65735546, 0x01021997, 0x00C36400, 0x5346414F, 0x0BD00BD0, 0x01161970, 0x7461636F,
    ];

    /// <summary>Whether a folder is on a file system on which a lock may say nothing about other machines.</summary>
    public static bool IsShared(int folderFd) => Shared.Contains(Libc.FileSystemType(folderFd) & uint.MaxValue);

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
            bool isShared = IsShared(reader.Descriptor);
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

    /// <summary>
    /// Removes from a folder of a copy in shards what killed processes left of it: under temporary names of what the source's folder has,
    /// by the same rules as <see cref="Remove"/>. What the source itself has under such a name is part of the copy.
    /// </summary>
    /// <param name="source">The source's folder, of which nothing has been read.</param>
    /// <param name="copyFd">The copy's folder, which is closed.</param>
    /// <param name="text">Its path, for people.</param>
    /// <param name="isLeftOut">Whether a name of the source is no part of the copy.</param>
    /// <param name="cancellationToken">Leaves the rest where it is.</param>
    public static void RemoveOfShards(
        DirectoryReader source, int copyFd, string text, Func<byte[], bool> isLeftOut, CancellationToken cancellationToken)
    {
        DirectoryReader copy = DirectoryReader.Of(copyFd);
        try
        {
            bool isShared = IsShared(copyFd);
            Dictionary<string, byte[]>? originals = null;
            if (copy.ReadNames(out List<byte[]> names) < 0)
            {
                return;
            }

            foreach (byte[] name in names)
            {
                if (cancellationToken.IsCancellationRequested)
                {
                    return;
                }

                NodePath path = NodePath.In(copyFd, name, text);
                byte[]? original = OriginalOf(path.Leaf, source, ref originals);
                if (original is not null && !isLeftOut(original) && source.Stat(name, StatxMask.Type, out _) == -Errno.ENOENT)
                {
                    _ = TryRemove(path, isShared);
                }
            }
        }
        finally
        {
            copy.Release();
        }
    }

    /// <summary>Of which name in the source's folder, without a NUL, another one is a temporary name; null where of none.</summary>
    private static byte[]? OriginalOf(ReadOnlySpan<byte> name, DirectoryReader source, ref Dictionary<string, byte[]>? names)
    {
        byte[] target = TemporaryName.TargetIn(name).ToArray();
        if (target.Length == 0 || source.Stat([.. target, 0], StatxMask.Type, out _) == 0)
        {
            return target.Length == 0 ? null : target;
        }

        if (names is null)
        {
            names = [];
            _ = source.ReadNames(out List<byte[]> found);
            foreach (byte[] one in found)
            {
                names.TryAdd(Encoding.ASCII.GetString(TemporaryName.Shortened(one.AsSpan()[..^1])), one[..^1]);
            }
        }

        return names.GetValueOrDefault(Encoding.ASCII.GetString(target));
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
