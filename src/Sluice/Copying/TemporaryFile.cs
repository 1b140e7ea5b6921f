using System.Runtime.Versioning;
using System.Security.Cryptography;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// A new file beside its target, under a name that says whose it is, to be renamed to the target once it is whole. Its maker keeps
/// it locked, so that what a killed process left behind can be told from what is still being written; shared, because .NET's readers,
/// who take such locks too, must not be shut out once it has the target's name.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TemporaryFile : IDisposable
{
    public const string Suffix = ".sluice-tmp";

    private static ReadOnlySpan<byte> SuffixBytes => ".sluice-tmp"u8;

    private const int MostCandidates = 64;
    private const int MostNameBytes = 255;
    private const int EWOULDBLOCK = Errno.EAGAIN;
    private const uint OwnerOnly = 0x180;

    private readonly NodePath _path;
    private bool _kept;

    private TemporaryFile(SafeFileHandle handle, NodePath path)
    {
        SafeFileHandle = handle;
        _path = path;
    }

    public SafeFileHandle SafeFileHandle { get; }

    public int Descriptor => (int)SafeFileHandle.DangerousGetHandle();

    /// <summary>
    /// Makes the file, after removing what killed processes left of earlier attempts at this target. <paramref name="mode"/> is
    /// subject to the umask; null stands for read and write by the owner alone.
    /// </summary>
    public static TemporaryFile Create(in NodePath target, uint? mode)
    {
        for (int candidate = 0; candidate < MostCandidates; candidate++)
        {
            NodePath path = NameFor(target, candidate);
            int fd = PathCalls.Open(
                path, PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive | PathCalls.NoFollowFlag, mode ?? OwnerOnly);
            if (fd == -Errno.EEXIST)
            {
                // Its maker is gone: the name is free again. Otherwise someone else is replacing the same target right now.
                candidate -= TryRemoveLeftover(path) ? 1 : 0;
                continue;
            }

            if (fd < 0)
            {
                throw PathErrors.Create(fd, "Making the temporary file", path.Text);
            }

            if (PathCalls.LockSharedNow(fd) != -EWOULDBLOCK && IsStillThere(fd, path))
            {
                // Made while the leftover of a process just killed was locked still: the kernel closes a ring's files a little later.
                _ = TryRemoveLeftover(NameFor(target, candidate + 1));
                return new TemporaryFile(new SafeFileHandle(fd, ownsHandle: true), path);
            }

            // Taken for a leftover between its making and its locking.
            PathCalls.Close(fd);
        }

        throw new IOException($"'{target.Text}' is being replaced by {MostCandidates} others at this moment.");
    }

    /// <summary>
    /// What an earlier attempt at this target left, to go on from: ours, a plain file, with no other name, and its maker gone. Null
    /// where there is no such thing.
    /// </summary>
    public static TemporaryFile? TryReopen(in NodePath target)
    {
        NodePath path = NameFor(target, 0);
        int fd = PathCalls.Open(path, PathCalls.ReadWrite | PathCalls.NoFollowFlag);
        if (fd < 0)
        {
            return null;
        }

        // Exclusive first: a maker that is alive holds a shared lock.
        if (NodeCalls.LockExclusivelyNow(fd) == 0 && IsOurs(fd, isRootExcepted: false) && PathCalls.LockSharedNow(fd) == 0 && IsStillThere(fd, path))
        {
            return new TemporaryFile(new SafeFileHandle(fd, ownsHandle: true), path);
        }

        PathCalls.Close(fd);
        return null;
    }

    /// <summary>The folder's temporary files whose makers are gone, removed.</summary>
    public static List<string> RemoveLeftovers(string folder)
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
            List<string> removed = [];
            PathErrors.ThrowIfFailed(reader.ReadNames(out List<byte[]> names), "Reading the folder", folder);
            foreach (byte[] name in names)
            {
                NodePath path = NodePath.In(reader.Descriptor, name, folder);
                if (name[0] == (byte)'.' && path.Leaf.EndsWith(SuffixBytes) && TryRemoveLeftover(path))
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

    /// <summary>Gives the file its target's name; from here on it is the target.</summary>
    public void RenameTo(in NodePath target)
    {
        PathErrors.ThrowIfFailed(NodeCalls.Rename(_path, target), "Replacing", target.Text);
        _kept = true;
    }

    /// <summary>As <see cref="RenameTo"/>, but an error where the name is taken.</summary>
    public void RenameToNew(in NodePath target)
    {
        int result = CopyCalls.RenameNew(_path, target);
        if (result is -Errno.EINVAL or -Errno.ENOSYS)
        {
            // This file system cannot rename so: a second name is refused where one is.
            PathErrors.ThrowIfFailed(NodeCalls.Link(_path, target), "Naming the copy", target.Text);
            return;
        }

        PathErrors.ThrowIfFailed(result, "Naming the copy", target.Text);
        _kept = true;
    }

    /// <summary>Leaves the file where it is, to go on from there another time.</summary>
    public void Keep() => _kept = true;

    public void Dispose()
    {
        // Removed while the lock is held, so that nobody else's file of the same name is.
        if (!_kept)
        {
            _ = NodeCalls.Unlink(_path);
        }

        SafeFileHandle.Dispose();
    }

    internal static NodePath NameFor(in NodePath target, int candidate)
    {
        ReadOnlySpan<byte> name = target.Leaf;
        string suffix = candidate == 0 ? Suffix : $".{candidate}{Suffix}";
        if (name.Length > MostNameBytes - suffix.Length - 1)
        {
            name = Encoding.ASCII.GetBytes(Convert.ToHexStringLower(SHA256.HashData(name)));
        }

        return target.Beside([(byte)'.', .. name, .. Encoding.ASCII.GetBytes(suffix)]);
    }

    /// <summary>True when the name is free now.</summary>
    private static bool TryRemoveLeftover(in NodePath path)
    {
        int fd = PathCalls.Open(path, PathCalls.ReadOnly | PathCalls.NoFollowFlag);
        if (fd < 0)
        {
            return fd == -Errno.ENOENT;
        }

        try
        {
            return NodeCalls.LockExclusivelyNow(fd) == 0
                && IsOurs(fd, isRootExcepted: true)
                && IsStillThere(fd, path)
                && NodeCalls.Unlink(path) == 0;
        }
        finally
        {
            PathCalls.Close(fd);
        }
    }

    /// <summary>Another user's file of that name is never gone on from, since its owner could still write to it; only root removes it.</summary>
    private static bool IsOurs(int fd, bool isRootExcepted) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0
        && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular
        && stat.NLink == 1
        && (stat.Uid == NodeCalls.EffectiveUser || (isRootExcepted && NodeCalls.EffectiveUser == 0));

    /// <summary>Whether the name still leads to this file: it may have been renamed or removed before it was locked.</summary>
    private static bool IsStillThere(int fd, in NodePath path) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx open) == 0
        && NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx named) == 0
        && open.Ino == named.Ino && open.DevMajor == named.DevMajor && open.DevMinor == named.DevMinor;
}
