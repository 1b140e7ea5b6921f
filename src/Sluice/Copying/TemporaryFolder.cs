using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// A new folder beside its target, for nobody but its owner, to be renamed once its tree is whole. Its maker keeps it locked, and it
/// carries a mark (an extended attribute, which only its owner can set): what has no mark is nobody's leftover, whatever its name, and is
/// neither used nor emptied. Where it is empty it goes all the same: its maker may have been killed before it set the mark.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TemporaryFolder : IDisposable
{
    private const int MaxTries = 100;
    private const uint OthersWrite = 0x12;

    private readonly NodePath _name;
    private readonly bool _isKept;
    private bool _isNamed;

    private TemporaryFolder(in NodePath name, int fd, bool isKept)
    {
        _name = name;
        Descriptor = fd;
        _isKept = isKept;
    }

    /// <summary>The mark's name, ended by a NUL.</summary>
    public static ReadOnlySpan<byte> Mark => "user.sluice.copy\0"u8;

    /// <summary>The path, for people.</summary>
    public string Text => _name.Text;

    /// <summary>The folder, open until this is disposed of.</summary>
    public int Descriptor { get; }

    /// <param name="target">What the tree is to be called.</param>
    /// <param name="resumes">
    /// Whether to go on in what an earlier copy left, and to leave what this one makes. Where its name is taken by something else, or the
    /// file system has no marks, the folder is made anew and does not stay.
    /// </param>
    /// <param name="source">What is copied: never the folder that is gone on in.</param>
    public static TemporaryFolder Create(in NodePath target, bool resumes, in Statx source = default)
    {
        NodePath name = TemporaryName.Reserved(target);
        int fd = resumes ? Reopen(name, source) : -Errno.ENOENT;
        fd = resumes && fd == -Errno.ENOENT ? Make(name, mustBeMarked: true) : fd;
        if (resumes && fd >= 0)
        {
            return new TemporaryFolder(name, fd, isKept: true);
        }

        for (int i = 0; i < MaxTries; i++)
        {
            name = TemporaryName.Random(target);
            fd = Make(name, mustBeMarked: false);
            if (fd != -Errno.EEXIST)
            {
                PathErrors.ThrowIfFailed(fd, "Making the temporary folder", name.Text);
                return new TemporaryFolder(name, fd, isKept: false);
            }
        }

        throw new IOException($"No temporary folder can be made beside '{target.Text}': what is made there is taken away at once.");
    }

    /// <summary>Removes what is under a temporary name, if it is a folder of ours whose maker is gone, and marked or empty.</summary>
    public static bool TryRemoveLeftover(int fd, in NodePath name) =>
        IsLeft(fd)
        && TemporaryName.LeadsTo(name, fd)
        && (!IsMarked(fd) || TreeRemoval.Empty(Again(fd), name.Text) == 0)
        && NodeCalls.RemoveDirectory(name) == 0;

    /// <summary>
    /// Makes a folder ours alone, whose mode, and with it whose owner, may be the source's already; 0, or a negative errno. The owner
    /// first: another one could set the mode again. Whether what is made in it is its group's is as it was.
    /// </summary>
    public static int TakeBack(int fd)
    {
        int result = Libc.Stat(fd, StatxMask.BasicStats, out Statx stat);
        result = result == 0 && stat.Uid != NodeCalls.EffectiveUser
            ? NodeCalls.SetOwner(fd, NodeCalls.EffectiveUser, NodeCalls.AsItIs)
            : result;
        return result < 0 ? result : NodeCalls.SetMode(fd, ModeBits.OwnerAll | (stat.Mode & ModeBits.SetGroup));
    }

    /// <summary>Whether a name is this folder's, and one that nobody could foresee.</summary>
    public bool IsRandomName(ReadOnlySpan<byte> name) => !_isKept && name.SequenceEqual(_name.Leaf);

    /// <summary>
    /// Touches the folder now and then, until what is returned is disposed of, and never after: where a lock may say nothing about other
    /// machines, <see cref="Leftovers"/> go by the times of the folder itself, in which nothing may be made for days while files further
    /// down are copied.
    /// </summary>
    public IDisposable Touch(int everyMs) => new Touching(Descriptor, everyMs);

    /// <summary>
    /// Gives the folder its target's name, and takes the mark off; it stays where the folder has a mode by now that keeps its owner from
    /// writing, who is not root.
    /// </summary>
    public void RenameTo(in NodePath target)
    {
        if (!TemporaryName.LeadsTo(_name, Descriptor, out int error))
        {
            PathErrors.ThrowIfFailed(error, "Looking at", Text);
            throw new IOException($"Copying to '{target.Text}' failed: its temporary folder '{Text}' has been taken away by somebody.");
        }

        int result = CopyCalls.RenameNew(_name, target);
        result = result is -Errno.EINVAL or -Errno.ENOSYS ? NodeCalls.Rename(_name, target) : result;
        PathErrors.ThrowIfFailed(result, "Naming the copy", target.Text);
        _isNamed = true;

        // Only now: without it the folder would not be known for what it is. Under the target's name it says nothing.
        _ = AttributeCalls.Remove(Descriptor, Mark); // See above.
    }

    public void Dispose()
    {
        if (!_isNamed && _isKept)
        {
            // It may have got its mode, and lost its mark, before it could not get its name.
            BeFoundAgain();
        }
        else if (!_isNamed)
        {
            // What cannot be removed now stays under a name that says what it is, and must not hide why the copy failed. The folder that
            // is open is emptied, whatever has its name by now; and only an empty folder can be removed.
            _ = TreeRemoval.Empty(Again(Descriptor), Text);
            _ = NodeCalls.RemoveDirectory(_name); // See above.
        }

        PathCalls.Close(Descriptor);
    }

    /// <summary>Makes the folder one of those that <see cref="Reopen"/> goes on in, and that are removed as leftovers.</summary>
    private void BeFoundAgain()
    {
        _ = TakeBack(Descriptor);
        _ = AttributeCalls.Set(Descriptor, Mark, [1]); // Without the mark, the next copy starts anew.
    }

    private static int Make(in NodePath name, bool mustBeMarked)
    {
        int result = NodeCalls.MakeDirectory(name, ModeBits.OwnerAll);
        if (result < 0)
        {
            return result;
        }

        int failed = 0;
        int fd = PathCalls.Open(name, TreeRoot.FolderFlags);
        if (fd >= 0
            && NodeCalls.LockExclusivelyNow(fd) == 0
            && (IsOurs(fd) || IsAsAnyHere(fd, name))
            && (failed = CheckEmpty(fd)) == 0
            && TemporaryName.LeadsTo(name, fd)
            && (AttributeCalls.Set(fd, Mark, [1]) == 0 || !mustBeMarked))
        {
            return fd;
        }

        // Only an empty folder can be removed, whoever has put it there by now.
        new Descriptor(fd).Dispose();
        _ = NodeCalls.RemoveDirectory(name); // See above.

        if (failed is not (0 or -Errno.ENOTEMPTY or -Errno.ENOENT))
        {
            return failed;
        }

        // Something else has been put in its place, or it cannot be told from that; or whoever removes leftovers took it for one.
        return fd >= 0 || fd == -Errno.ENOENT || TemporaryName.IsElsewhere(fd) ? -Errno.EEXIST : fd;
    }

    private static int Reopen(in NodePath name, in Statx source)
    {
        int fd = PathCalls.Open(name, TreeRoot.FolderFlags);
        if (fd < 0)
        {
            return fd;
        }

        bool isGone = false;
        if (Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0 && !stat.IsSame(source))
        {
            if (IsLeftover(fd) || (IsWhole(fd, stat, source) && TakeBack(fd) == 0))
            {
                return fd;
            }

            // One that was killed before it had its mark is not in the way of the next.
            isGone = IsLeft(fd) && TemporaryName.LeadsTo(name, fd) && NodeCalls.RemoveDirectory(name) == 0;
        }

        PathCalls.Close(fd);
        return isGone ? -Errno.ENOENT : -Errno.EEXIST;
    }

    /// <summary>
    /// Whether a folder is one of ours that was killed right before it got its name, when it had the source's permissions already. Not
    /// where others may write: they could have put the mark on it, and anything in it. Nor where it was given away: its owner could.
    /// </summary>
    private static bool IsWhole(int fd, in Statx stat, in Statx source) =>
        stat.Uid == NodeCalls.EffectiveUser
        && ((stat.Mode ^ source.Mode) & ModeBits.All & ~ModeBits.SetGroup) == 0
        && (stat.Mode & OthersWrite) == 0
        && (stat.Gid == source.Gid || stat.Gid == NodeCalls.EffectiveGroup)
        && NodeCalls.LockExclusivelyNow(fd) == 0
        && IsMarked(fd);

    private static bool IsLeftover(int fd) => IsLeft(fd) && IsMarked(fd);

    /// <summary>Ours, and its maker is gone.</summary>
    private static bool IsLeft(int fd) => NodeCalls.LockExclusivelyNow(fd) == 0 && IsOurs(fd);

    private static bool IsMarked(int fd) => AttributeCalls.Get(fd, Mark, out _) is not null;

    /// <summary>Ours, and nobody else comes into it.</summary>
    public static bool IsOurs(int fd) =>
        Libc.Stat(fd, StatxMask.BasicStats, out Statx stat) == 0
        && stat.Uid == NodeCalls.EffectiveUser
        && (stat.Mode & ModeBits.GroupAndOthers) == 0;

    /// <summary>
    /// Whether the file system gives what is made on it an owner and rights of its own choice (FAT, SMB, NFS for root), and the folder is
    /// that owner's: told by a file, in whose place nobody can put another before it is open.
    /// </summary>
    private static bool IsAsAnyHere(int fd, in NodePath name)
    {
        const int make = PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive;
        NodePath other = TemporaryName.Random(name);
        using Descriptor file = new(PathCalls.Open(other, make | PathCalls.NoFollowFlag, ModeBits.OwnerReadWrite));
        if (file.Fd < 0)
        {
            return false;
        }

        _ = TemporaryName.LeadsTo(other, file.Fd) ? NodeCalls.Unlink(other) : 0;
        return Libc.Stat(file.Fd, StatxMask.BasicStats, out Statx made) == 0
            && Libc.Stat(fd, StatxMask.BasicStats, out Statx folder) == 0
            && (made.Uid != NodeCalls.EffectiveUser || (made.Mode & ModeBits.GroupAndOthers) != 0)
            && made.Uid == folder.Uid;
    }

    /// <summary>Zero, ENOTEMPTY, or why that could not be found out; errors are negative.</summary>
    private static int CheckEmpty(int fd)
    {
        int again = Again(fd);
        if (again < 0)
        {
            return again;
        }

        DirectoryReader reader = DirectoryReader.Of(again);
        int result = reader.ReadNames(out List<byte[]> names);
        reader.Release();
        return result == 0 && names.Count > 0 ? -Errno.ENOTEMPTY : result;
    }

    private static int Again(int fd) => PathCalls.OpenAt(fd, ".\0"u8, TreeRoot.FolderFlags);

    private sealed class Touching : IDisposable
    {
        private readonly Lock _lock = new();
        private readonly Timer _timer;
        private int _fd;

        public Touching(int fd, int everyMs)
        {
            _fd = fd;
            _timer = new Timer(static self => ((Touching)self!).Touch(), this, everyMs, everyMs);
        }

        public void Dispose()
        {
            lock (_lock)
            {
                _fd = -1;
            }

            _timer.Dispose();
        }

        private void Touch()
        {
            lock (_lock)
            {
                _ = _fd < 0 ? 0 : Libc.SetTimes(_fd, []); // A hint for other machines.
            }
        }
    }
}
