using System.Runtime.Versioning;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// A new file that gets its target's name when it is whole. Where the file system can, it has no name before (O_TMPFILE), and nothing of
/// it stays when its process is killed; else, and for the moment of a replacement, one that cannot be foreseen. The name is never trusted
/// to lead to the file still.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TemporaryFile : IDisposable
{
    private const int MaxTries = 100;

    // Without /proc nothing that has no name can be given one.
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

    /// <summary>Makes the file; <paramref name="mode"/> is subject to the umask.</summary>
    public static TemporaryFile Create(in NodePath target, uint mode)
    {
        int fd = CanNameLater
            ? PathCalls.OpenAt(target.FolderFd, ".\0"u8, PathCalls.ReadWrite | PathCalls.TemporaryFlag, mode)
            : -Errno.EOPNOTSUPP;
        if (fd >= 0)
        {
            return new TemporaryFile(fd, target, name: null);
        }

        // Whatever the reason is: if the file cannot be made at all, this says why.
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

        throw new IOException($"No temporary file can be made beside '{target.Text}': what is made there is taken away at once.");
    }

    /// <summary>
    /// As <see cref="Create"/>, but under a name by which it is found again, and what was found so: ours, a plain file, with no other name,
    /// not readable for more than a new one or the whole copy, not locked by whoever writes to it, and not the source. Where something else
    /// has that name, as <see cref="Create"/>.
    /// </summary>
    /// <param name="target">Whose name it is to get.</param>
    /// <param name="mode">Of a new one.</param>
    /// <param name="source">What is copied.</param>
    /// <param name="final">What the whole copy will have, and one that was killed right before its name has.</param>
    /// <param name="isFound">It was there: its owner's alone again.</param>
    public static TemporaryFile CreateOrFind(
        in NodePath target, uint mode, in Statx source, in FinalRights final, out bool isFound)
    {
        NodePath name = TemporaryName.Reserved(target);
        int fd = Reopen(name, mode, source, final);
        isFound = fd >= 0;
        fd = isFound ? fd : Make(name, mode);
        return fd >= 0 ? new TemporaryFile(fd, target, name, isFoundAgain: true) : Create(target, mode);
    }

    /// <summary>Gives the file a name that cannot be foreseen, if it has none: some file systems make durable only what has one.</summary>
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

    /// <summary>Gives the file its target's name, whatever has it; from here on it is the target.</summary>
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

    /// <summary>As <see cref="ReplaceTarget"/>, but an error where the name is taken.</summary>
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
                // This file system cannot rename so: a second name is refused where one is.
                result = NodeCalls.LinkOpened(Descriptor, _target);
                if (result == 0)
                {
                    // The copy is there; a name that cannot be removed takes nothing from it.
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
    /// Leaves the file where it is, if it can be found again there, as its owner's alone: with the source's permissions, which it may have
    /// by now, it would not be gone on from.
    /// </summary>
    public void Keep()
    {
        if (_isFoundAgain && _name is not null)
        {
            _ = NodeCalls.SetMode(Descriptor, ModeBits.OwnerReadWrite); // Otherwise the next copy starts anew.
            _name = null;
        }
    }

    public void Dispose()
    {
        if (_name is { } name && TemporaryName.LeadsTo(name, Descriptor))
        {
            _ = NodeCalls.Unlink(name); // What fails here must not hide why the copy failed.
        }

        SafeFileHandle.Dispose();
    }

    /// <summary>
    /// Where there are no second names either: an empty file takes the name, if nothing has it, and is replaced at once. A process that is
    /// killed between leaves it.
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

    private static int Make(in NodePath name, uint mode)
    {
        int fd = PathCalls.Open(name, MakeFlags, mode);
        int locked = fd < 0 ? 0 : NodeCalls.LockFileNow(fd, forWriting: true);
        if (locked is -Errno.EAGAIN or -Errno.EACCES)
        {
            // Somebody has found it before it was locked.
            PathCalls.Close(fd);
            return -Errno.EEXIST;
        }

        // Without locks nobody finds it.
        return fd;
    }

    /// <summary>Another user could still write to a file of theirs, and whoever could read one of ours may have it open.</summary>
    private static int Reopen(in NodePath name, uint mode, in Statx source, in FinalRights final)
    {
        int again = PathCalls.NoFollowFlag | PathCalls.NonBlocking;
        int fd = PathCalls.Open(name, PathCalls.ReadWrite | again);
        if (fd == -Errno.EACCES)
        {
            // It may have a mode by now that keeps its owner from writing. While it is locked to be read its maker is gone, and nobody else
            // goes on from it.
            using Descriptor closed = new(PathCalls.Open(name, PathCalls.ReadOnly | again));
            fd = closed.Fd >= 0
                && NodeCalls.LockFileNow(closed.Fd, forWriting: false) == 0
                && IsLeft(closed.Fd, name, mode, source, final)
                && NodeCalls.SetMode(closed.Fd, ModeBits.OwnerReadWrite) == 0
                    ? PathCalls.Open(name, PathCalls.ReadWrite | again)
                    : fd;
        }

        if (fd >= 0
            && NodeCalls.LockFileNow(fd, forWriting: true) == 0
            && IsLeft(fd, name, mode, source, final)
            && Libc.GetFlags(fd) is >= 0 and int flags
            && Libc.SetFlags(fd, flags & ~PathCalls.NonBlocking) == 0)
        {
            // What the copy gets at its end it gets once more. Where permissions cannot be set, all files have the same ones.
            _ = NodeCalls.SetMode(fd, ModeBits.OwnerReadWrite); // See above.
            return fd;
        }

        new Descriptor(fd).Dispose();
        return Math.Min(fd, -Errno.EEXIST);
    }

    private static bool IsLeft(int fd, in NodePath name, uint mode, in Statx source, in FinalRights final) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0
        && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular
        && stat.NLink == 1
        && !stat.IsSame(source)
        && final.MayBeOf(stat.Uid)
        && ((stat.Mode & ModeBits.GroupAndOthers & ~mode) == 0 || final.Cover(fd, stat))
        && TemporaryName.LeadsTo(name, fd);

    private void ThrowIfTaken()
    {
        if (!TemporaryName.LeadsTo(_name!.Value, Descriptor, out int error))
        {
            PathErrors.ThrowIfFailed(error, "Looking at", _name.Value.Text);
            throw new IOException(
                $"Writing '{_target.Text}' failed: its temporary file '{_name.Value.Text}' has been taken away by somebody.");
        }
    }

    /// <summary>
    /// The name is the target's now. Where the lock is one that other openers mind (NFS), they need not wait for the rest.
    /// </summary>
    private void End()
    {
        _name = null;
        _ = _isFoundAgain ? NodeCalls.UnlockFile(Descriptor) : 0; // The close unlocks it too.
    }
}
