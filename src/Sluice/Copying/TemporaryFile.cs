using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// A new file that gets its target's name when it is complete. If possible, it has no name before (O_TMPFILE), and disappears if the
/// process is killed. Otherwise, and during a replacement, it has an unpredictable name, which may refer to another file later and is
/// therefore checked before each use.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TemporaryFile : IDisposable
{
    private const int MaxTries = 100;

    // A file without a name can be linked only through /proc.
    private static readonly bool CanNameLater = Directory.Exists("/proc/self/fd");

    private static int MakeFlags => PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive | PathCalls.NoFollowFlag;

    private readonly NodePath _target;
    private readonly bool _isFoundAgain;
    private NodePath? _name;

    private TemporaryFile(int fd, in NodePath target, NodePath? name, bool isFoundAgain = false)
    {
        SafeFileHandle = new SafeFileHandle(fd, ownsHandle: true);
        (_target, _name, _isFoundAgain) = (target, name, isFoundAgain);
    }

    public SafeFileHandle SafeFileHandle { get; }

    public int Descriptor => (int)SafeFileHandle.DangerousGetHandle();

    /// <summary>Creates the file. <paramref name="mode"/> is subject to the umask.</summary>
    public static TemporaryFile Create(in NodePath target, uint mode)
    {
        int fd = CanNameLater
            ? PathCalls.OpenAt(target.FolderFd, ".\0"u8, PathCalls.ReadWrite | PathCalls.TemporaryFlag, mode)
            : -Errno.EOPNOTSUPP;
        if (fd >= 0)
        {
            return new TemporaryFile(fd, target, name: null);
        }

        // O_TMPFILE failed for any reason. If the file cannot be created at all, this attempt reports the error.
        for (int i = 0; i < MaxTries; i++)
        {
            NodePath name = TemporaryName.Random(target);
            fd = PathCalls.Open(name, MakeFlags, mode);
            if (fd != -Errno.EEXIST)
            {
                PathErrors.ThrowIfFailed(fd, "Making the temporary file", name.Text);
                return new TemporaryFile(fd, target, name);
            }
        }

        throw new IOException($"No temporary file can be made beside '{target.Text}': other code removes the new files.");
    }

    /// <summary>
    /// Opens the temporary file that an earlier copy left under its reserved name, or creates it, for the owner only. An existing file is
    /// used only if it is what a failed copy leaves: a regular file of this user with one link and the mode 0600, which is not locked by
    /// another copy and not the source. With another mode or, for root, owner, a copy was killed after it had set them; the file is
    /// removed. If the reserved name cannot be used, the file is created as by <see cref="Create"/>.
    /// </summary>
    /// <param name="target">The target of the copy.</param>
    /// <param name="source">The state of the source.</param>
    /// <param name="isFound">True if an existing file was opened.</param>
    public static TemporaryFile CreateOrFind(in NodePath target, in Statx source, out bool isFound)
    {
        NodePath name = TemporaryName.Reserved(target);
        int fd = Reopen(name, source);
        isFound = fd >= 0;
        fd = isFound ? fd : Make(name);
        return fd >= 0 ? new TemporaryFile(fd, target, name, isFoundAgain: true) : Create(target, ModeBits.OwnerReadWrite);
    }

    /// <summary>
    /// Gives the file an unpredictable name if it has none, because some file systems do not make files without a name durable.
    /// </summary>
    public void GiveName()
    {
        for (int i = 0; _name is null; i++)
        {
            NodePath name = TemporaryName.Random(_target);
            int result = NodeCalls.LinkOpened(Descriptor, name);
            if (result != -Errno.EEXIST || i == MaxTries)
            {
                PathErrors.ThrowIfFailed(result, "Naming the temporary file", name.Text);
                _name = name;
            }
        }
    }

    /// <summary>Renames the file to its target, replacing an existing file.</summary>
    public void ReplaceTarget()
    {
        GiveName();
        ThrowIfTaken();
        int result = NodeCalls.Rename(_name!.Value, _target);
        if (result == -Errno.EBUSY)
        {
            throw new IOException(
                $"Replacing '{_target.Text}' failed: it is a mount point, as single files are that a container mounts, and its name cannot "
                + "be given to another file. Mount its folder instead, or write it in place (File.WriteAllBytes).",
                Errno.EBUSY);
        }

        PathErrors.ThrowIfFailed(result, "Replacing", _target.Text);
        End();
    }

    /// <summary>Renames the file to its target. Fails if the target exists.</summary>
    public void NameTarget()
    {
        int result;
        if (_name is not { } name)
        {
            result = NodeCalls.LinkOpened(Descriptor, _target);
        }
        else
        {
            ThrowIfTaken();
            result = CopyCalls.RenameNew(name, _target);
            if (result is -Errno.EINVAL or -Errno.ENOSYS)
            {
                // The file system does not support RENAME_NOREPLACE. A hard link also fails if the name is taken.
                result = NodeCalls.LinkOpened(Descriptor, _target);
                if (result == 0)
                {
                    // The copy is complete; it does not matter if the other name cannot be removed.
                    _ = NodeCalls.Unlink(name); // See above.
                }
                else if (result is -Errno.EPERM or -Errno.EOPNOTSUPP or -Errno.ENOSYS)
                {
                    result = ClaimTarget(name);
                }
            }
        }

        PathErrors.ThrowIfFailed(result, "Naming the copy", _target.Text);
        End();
    }

    /// <summary>
    /// Keeps a file with a reserved name, for a later resume. Its mode is reset, because a file with the permissions of the source would
    /// not be resumed. Has no effect on other files.
    /// </summary>
    public void Keep()
    {
        if (_isFoundAgain && _name is not null)
        {
            _ = NodeCalls.SetMode(Descriptor, ModeBits.OwnerReadWrite); // Otherwise the next copy starts again.
            _name = null;
        }
    }

    public void Dispose()
    {
        if (_name is { } name && TemporaryName.LeadsTo(name, Descriptor))
        {
            _ = NodeCalls.Unlink(name); // The error of the copy is reported.
        }

        SafeFileHandle.Dispose();
    }

    /// <summary>
    /// Creates an empty file at the target and replaces it. Used if the file system supports neither RENAME_NOREPLACE nor hard links. If
    /// the process is killed in between, the empty file remains. Returns 0 or a negative errno.
    /// </summary>
    private int ClaimTarget(in NodePath name)
    {
        using Descriptor claim = new(PathCalls.Open(_target, MakeFlags, ModeBits.OwnerReadWrite));
        int result = claim.Fd < 0 ? claim.Fd : NodeCalls.Rename(name, _target);
        if (result < 0 && claim.Fd >= 0 && TemporaryName.LeadsTo(_target, claim.Fd))
        {
            _ = NodeCalls.Unlink(_target); // The error of the rename is reported.
        }

        return result;
    }

    private static int Make(in NodePath name)
    {
        int fd = PathCalls.Open(name, MakeFlags, ModeBits.OwnerReadWrite);
        int locked = fd < 0 ? 0 : NodeCalls.LockFileNow(fd, forWriting: true);
        if (locked is -Errno.EAGAIN or -Errno.EACCES)
        {
            // Another process opened and locked the file first.
            PathCalls.Close(fd);
            return -Errno.EEXIST;
        }

        // If locks are not supported, the file is used without a lock: Reopen accepts no existing file then.
        return fd;
    }

    /// <summary>
    /// Opens and locks an existing temporary file that can be resumed. Removes one that a killed copy left with other permissions. Returns
    /// a descriptor, or -ENOENT if no file can be resumed.
    /// </summary>
    private static int Reopen(in NodePath name, in Statx source)
    {
        int again = PathCalls.NoFollowFlag | PathCalls.NonBlocking;
        int fd = PathCalls.Open(name, PathCalls.ReadWrite | again);
        bool isWritable = fd >= 0;
        fd = fd == -Errno.EACCES ? PathCalls.Open(name, PathCalls.ReadOnly | again) : fd;
        if (fd >= 0 && NodeCalls.LockFileNow(fd, forWriting: isWritable) == 0 && IsLeft(fd, name, source, out Statx left))
        {
            bool isPartial = left.Uid == NodeCalls.EffectiveUser && (left.Mode & ModeBits.All) == ModeBits.OwnerReadWrite;
            if (isPartial && Libc.SetFlags(fd, 0) == 0)
            {
                return fd;
            }

            _ = NodeCalls.Unlink(name); // Otherwise the new file gets another name.
        }

        new Descriptor(fd).Dispose();
        return -Errno.ENOENT;
    }

    /// <summary>
    /// Returns true if an earlier copy may have left the file: it has one name and belongs to this user. For root, it may belong to any
    /// user, because a copy that root makes gets the owner of its source.
    /// </summary>
    private static bool IsLeft(int fd, in NodePath name, in Statx source, out Statx stat) =>
        Libc.Stat(fd, StatxMask.BasicStats, out stat) == 0
        && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular
        && stat.NLink == 1
        && (stat.Uid == NodeCalls.EffectiveUser || NodeCalls.EffectiveUser == 0)
        && !stat.IsSame(source)
        && TemporaryName.LeadsTo(name, fd);

    private void ThrowIfTaken()
    {
        if (!TemporaryName.LeadsTo(_name!.Value, Descriptor, out int error))
        {
            PathErrors.ThrowIfFailed(error, "Looking at", _name.Value.Text);
            throw new IOException(
                $"Writing '{_target.Text}' failed: its temporary file '{_name.Value.Text}' was removed or replaced by another process.");
        }
    }

    /// <summary>
    /// Records that the file has the target's name. Releases the lock early, because on NFS it also affects other openers.
    /// </summary>
    private void End()
    {
        _name = null;
        _ = _isFoundAgain ? NodeCalls.UnlockFile(Descriptor) : 0; // The close releases it too.
    }
}
