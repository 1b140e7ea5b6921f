using System.Globalization;
using System.Runtime.Versioning;
using System.Text;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying.Ranges;

/// <summary>
/// The folder beside a target in which several processes write one file: the file, which has its length from the beginning, and an empty
/// file, a mark, for each range whose bytes are on the disk. It has the source's version in its name, so that two versions never meet in
/// one file. Nobody but its owner comes into it, so that nothing in it is anybody else's; and it gets its name with the file in it, so
/// that there is one file for all. The file's name has a number that nobody can foresee, and its marks have the same: what belonged to
/// another file, which is gone, marks nothing. Behind the number stands which folder it was made for: whoever may rename what is beside
/// the target could give its name to another folder of this user, in which nothing is written, and from which nothing is removed.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class PartFolder : IDisposable
{
    private const int MaxTries = 100;

    // File systems of which it cannot be told that several machines may write one file at places of their own: some keep the whole of a
    // file on the machine that writes it, and the last one wins. fuse, 9p, smb, cifs, smb2, afs (two), coda.
    private static readonly long[] WholeFiles =
        [0x65735546, 0x01021997, 0x517B, 0xFF534D42, 0xFE534D42, 0x5346414F, 0x6B414653, 0x73757245];

    private readonly NodePath _name;
    private readonly Descriptor _folder;
    private readonly string _id;
    private readonly long _length;
    private readonly long _rangeBytes;
    private Descriptor _file;

    private PartFolder(in NodePath name, Descriptor folder, Descriptor file, string id, long length, long rangeBytes)
    {
        (_name, _folder, _file, _id) = (name, folder, file, id);
        (_length, _rangeBytes) = (length, rangeBytes);
    }

    /// <summary>The file.</summary>
    public int File => _file.Fd;

    /// <summary>Whether this process keeps all others from giving the file its name.</summary>
    public bool IsLocked { get; private init; }

    /// <summary>How many ranges the file has.</summary>
    public long Count => ((_length - 1) / _rangeBytes) + 1;

    /// <summary>Whether files of a folder may be written by several machines, as far as its file system tells.</summary>
    public static bool MayBeShared(int folderFd) => !WholeFiles.Contains(Libc.FileSystemType(folderFd) & uint.MaxValue);

    /// <summary>Finds the folder, or makes it; null where the file system gives what is made an owner of its own choice.</summary>
    /// <param name="target">What the file is to be called.</param>
    /// <param name="source">What is copied.</param>
    /// <param name="rangeBytes">The length of a range.</param>
    /// <exception cref="IOException">It cannot be made, or something else has its name.</exception>
    public static PartFolder? OpenOrMake(in NodePath target, in Statx source, long rangeBytes)
    {
        for (int i = 0; i < MaxTries; i++)
        {
            if (TryOpen(target, source, rangeBytes, forWriting: false) is { } found)
            {
                return found;
            }

            if (!TryMake(target, source, rangeBytes))
            {
                return null;
            }
        }

        throw new IOException($"Nothing can be made beside '{target.Text}': what is made there is taken away at once.");
    }

    /// <summary>Finds the folder; null where there is none, or none with a file, which is removed.</summary>
    /// <param name="target">What the file is to be called.</param>
    /// <param name="source">What is copied.</param>
    /// <param name="rangeBytes">The length of a range.</param>
    /// <param name="forWriting">
    /// Whether to keep all others from writing the file, instead of keeping others from giving it its name.
    /// </param>
    /// <exception cref="IOException">Another process has it for itself.</exception>
    /// <exception cref="UnauthorizedAccessException">It is another user's, or others come into it, or have put a file there.</exception>
    public static PartFolder? TryOpen(in NodePath target, in Statx source, long rangeBytes, bool forWriting)
    {
        NodePath name = TemporaryName.Part(target, SourceVersion.Of(source, rangeBytes));
        Descriptor folder = new(PathCalls.Open(name, TreeRoot.FolderFlags));
        Descriptor file = new(-Errno.ENOENT);
        try
        {
            if (folder.Fd == -Errno.ENOENT)
            {
                return null;
            }

            Statx made = default;
            int result = folder.Fd < 0 ? folder.Fd : Libc.Stat(folder.Fd, StatxMask.BasicStats, out made);
            if (TemporaryName.IsElsewhere(result)
                || (result == 0 && (made.Uid != NodeCalls.EffectiveUser || (made.Mode & ModeBits.GroupAndOthers) != 0)))
            {
                throw new UnauthorizedAccessException(
                    $"Copying to '{target.Text}' failed: '{name.Text}' is no folder of this user's, or others may come into it.");
            }

            PathErrors.ThrowIfFailed(result, "Opening the folder", name.Text);
            string[] ids = PartNames.FilesIn(folder.Fd, name);
            if (ids.Length > 1)
            {
                throw new UnauthorizedAccessException(
                    $"Copying to '{target.Text}' failed: '{name.Text}' has {ids.Length} files, of which one alone can be the copy's.");
            }

            string? id = ids.SingleOrDefault();
            NodePath path = FileIn(folder.Fd, id ?? "", name.Text);
            file = new Descriptor(id is null ? -Errno.ENOENT : OpenFile(path));
            if (file.Fd < 0 && file.Fd != -Errno.EAGAIN && !TemporaryName.IsElsewhere(file.Fd))
            {
                PathErrors.ThrowIfFailed(file.Fd, "Opening", path.Text);
            }

            int locked = file.Fd < 0 ? file.Fd : NodeCalls.LockFileNow(file.Fd, forWriting);
            if (locked is -Errno.EAGAIN or -Errno.EACCES)
            {
                throw new IOException(
                    forWriting ? $"Finishing the copy '{target.Text}' failed: a shard is still writing it."
                    : $"Copying to '{target.Text}' failed: it is just getting its name.",
                    Errno.EAGAIN);
            }

            if (file.Fd >= 0 && IsWhole(path, file.Fd, (long)source.Size))
            {
                PartFolder found = new(name, folder, file, id!, (long)source.Size, rangeBytes) { IsLocked = locked == 0 };
                (folder, file) = (new Descriptor(-1), new Descriptor(-1));
                return found;
            }

            // What is left has no file that it could belong to: it has got its name, or somebody has begun to remove it.
            if (!TryRemove(folder.Fd, name))
            {
                throw new UnauthorizedAccessException(
                    $"Copying to '{target.Text}' failed: '{name.Text}' is a folder for something else, and has been given this name.");
            }

            return null;
        }
        finally
        {
            Release(file);
            folder.Dispose();
        }
    }

    /// <summary>Removes the folder of a name, if it is this user's and nobody is at work in it.</summary>
    public static bool TryRemove(in NodePath name)
    {
        using Descriptor folder = new(PathCalls.Open(name, TreeRoot.FolderFlags));
        if (folder.Fd < 0 || !TemporaryFolder.IsOurs(folder.Fd))
        {
            return false;
        }

        string[] ids = PartNames.FilesIn(folder.Fd, name);
        using Descriptor file = new(
            ids.Length == 0 ? -Errno.ENOENT : PathCalls.Open(FileIn(folder.Fd, ids[0], name.Text), OpenFlags));
        return ids.Length <= 1
            && (file.Fd < 0 || NodeCalls.LockFileNow(file.Fd, forWriting: true) is not (-Errno.EAGAIN or -Errno.EACCES))
            && TemporaryName.LeadsTo(name, folder.Fd)
            && TryRemove(folder.Fd, name);
    }

    /// <summary>Whether there is a folder for a version of the source that is not the one of now.</summary>
    public static bool HasAnother(in NodePath target, in Statx source, long rangeBytes)
    {
        byte[] own = TemporaryName.Part(target, SourceVersion.Of(source, rangeBytes)).Leaf.ToArray();
        DirectoryReader reader = DirectoryReader.Of(Again(target.FolderFd));
        try
        {
            if (reader.Descriptor < 0 || reader.ReadNames(out List<byte[]> names) < 0)
            {
                return false;
            }

            byte[] leaf = target.Leaf.ToArray();
            byte[] shortened = TemporaryName.Shortened(leaf);
            return names.Exists(n => TemporaryName.IsPart(n.AsSpan()[..^1])
                && !n.AsSpan()[..^1].SequenceEqual(own)
                && (TemporaryName.TargetIn(n.AsSpan()[..^1]).SequenceEqual(leaf)
                    || TemporaryName.TargetIn(n.AsSpan()[..^1]).SequenceEqual(shortened)));
        }
        finally
        {
            reader.Release();
        }
    }

    /// <summary>
    /// Whether the file is where it is written still: 0, <see cref="CopyErrors.CopyTaken"/>, or a negative errno. The folder is opened anew
    /// for it, since a machine may know better then what others have done in it (NFS).
    /// </summary>
    public int Look()
    {
        using Descriptor again = new(Again(_folder.Fd));
        int error = Math.Min(again.Fd, 0);
        bool isThere = error == 0 && TemporaryName.LeadsTo(FileIn(again.Fd, _id, _name.Text), File, out error);
        return isThere || error < 0 ? error : CopyErrors.CopyTaken;
    }

    /// <summary>The bytes of a range.</summary>
    public DataRange this[long range] => new(range * _rangeBytes, Math.Min((range + 1) * _rangeBytes, _length));

    public bool IsMarked(long range)
    {
        NodePath mark = Mark(range);
        int result = NodeCalls.Stat(mark, followsLinks: false, StatxMask.Type, out _);
        PathErrors.ThrowIfFailed(result == -Errno.ENOENT ? 0 : result, "Looking at the mark of a range,", mark.Text);
        return result == 0;
    }

    /// <summary>Says that the bytes of a range are on the disk.</summary>
    public void SetMark(long range)
    {
        NodePath mark = Mark(range);
        using Descriptor made = new(PathCalls.Open(mark, MakeFlags, ModeBits.OwnerReadWrite));
        PathErrors.ThrowIfFailed(made.Fd == -Errno.EEXIST ? 0 : Math.Min(made.Fd, 0), "Marking a range as copied,", mark.Text);
    }

    /// <summary>Says that they are to be written anew.</summary>
    public void TakeMark(long range)
    {
        NodePath mark = Mark(range);
        int result = NodeCalls.Unlink(mark);
        PathErrors.ThrowIfFailed(result == -Errno.ENOENT ? 0 : result, "Removing the mark of a range,", mark.Text);
    }

    /// <exception cref="IOException">Not all ranges are marked.</exception>
    public void ThrowIfNotWhole(in NodePath source, in Statx stat, in NodePath target)
    {
        long missing = 0;
        long first = -1;
        for (long range = 0; range < Count; range++)
        {
            if (!IsMarked(range))
            {
                missing++;
                first = first < 0 ? range : first;
            }
        }

        if (missing > 0)
        {
            string what = missing == 1 ? $"range {first} of {Count} is" : $"{missing} of {Count} ranges are";
            bool hasAnother = HasAnother(target, stat, _rangeBytes);
            string why = hasAnother ? ", since its source was written meanwhile, or with ranges of another length" : "";
            throw new IOException(
                $"Finishing the copy of '{source.Text}' failed: {what} missing, the first at byte {this[first].Begin}{why}; "
                + "its shard has to be run again.");
        }
    }

    /// <summary>The file, to be given its name, before which this must not be disposed of.</summary>
    public TemporaryFile TakeFile(in NodePath target)
    {
        TemporaryFile taken = TemporaryFile.Of(_file.Fd, target, FileIn(_folder.Fd, _id, _name.Text));
        _file = new Descriptor(-1);
        return taken;
    }

    /// <summary>Removes what is there.</summary>
    public void Remove() => _ = TryRemove(_folder.Fd, _name);

    public void Dispose()
    {
        Release(_file);
        _folder.Dispose();
    }

    /// <summary>
    /// The lock is given up and not only closed: a process that is just being started has a copy of the descriptor for a moment.
    /// </summary>
    private static void Release(Descriptor file)
    {
        if (file.Fd >= 0)
        {
            _ = NodeCalls.UnlockFile(file.Fd);
        }

        file.Dispose();
    }

    private static int OpenFlags => PathCalls.ReadWrite | PathCalls.NoFollowFlag;

    private static int MakeFlags => PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive | PathCalls.NoFollowFlag;

    /// <summary>
    /// Opens the file, which may have the source's mode already, and keep its owner from writing, where an end was killed right before its
    /// name; -EAGAIN where that end is still at it.
    /// </summary>
    private static int OpenFile(in NodePath path)
    {
        int fd = PathCalls.Open(path, OpenFlags);
        if (fd != -Errno.EACCES)
        {
            return fd;
        }

        using Descriptor read = new(PathCalls.Open(path, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking));
        if (read.Fd >= 0 && NodeCalls.LockFileNow(read.Fd, forWriting: false) is -Errno.EAGAIN or -Errno.EACCES)
        {
            return -Errno.EAGAIN;
        }

        using Descriptor node = new(PathCalls.Open(path, PathCalls.PathOnly | PathCalls.NoFollowFlag));
        bool isOpened = node.Fd >= 0
            && Libc.Stat(node.Fd, StatxMask.BasicStats, out Statx stat) == 0
            && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular
            && NodeCalls.SetMode(node.Fd, ModeBits.OwnerReadWrite) == 0;
        return isOpened ? PathCalls.Open(path, OpenFlags) : fd;
    }

    private static int Again(int fd) => PathCalls.OpenAt(fd, ".\0"u8, TreeRoot.FolderFlags);

    /// <summary>False where what is made here gets another owner than who makes it, or others may come into it.</summary>
    private static bool TryMake(in NodePath target, in Statx source, long rangeBytes)
    {
        using TemporaryFolder folder = TemporaryFolder.Create(target, resumes: false);
        if (!TemporaryFolder.IsOurs(folder.Descriptor))
        {
            return false;
        }

        NodePath name = TemporaryName.Part(target, SourceVersion.Of(source, rangeBytes));
        Span<byte> id = stackalloc byte[PartNames.IdBytes];
        NodeCalls.FillRandom(id);
        NodePath path = FileIn(folder.Descriptor, Convert.ToHexStringLower(id) + PartNames.DigitsOf(name), folder.Text);
        using Descriptor file = new(PathCalls.Open(path, MakeFlags, ModeBits.OwnerReadWrite));
        PathErrors.ThrowIfFailed(Math.Min(file.Fd, 0), "Making", path.Text);
        PathErrors.ThrowIfFailed(PathCalls.SetLength(file.Fd, (long)source.Size), "Making", path.Text);
        try
        {
            folder.RenameTo(name);
        }
        catch (IOException) when (NodeCalls.Stat(name, followsLinks: false, StatxMask.Type, out _) == 0)
        {
            // Another process was sooner.
        }

        return true;
    }

    private static NodePath FileIn(int folderFd, string id, string folder) => In(folderFd, id + PartNames.FileSuffix, folder);

    private static NodePath In(int folderFd, string name, string folder) =>
        NodePath.In(folderFd, [.. Encoding.ASCII.GetBytes(name), 0], folder);

    /// <summary>Removes a folder with what is made in it; false, and all stays, where anything else is there.</summary>
    private static bool TryRemove(int folderFd, in NodePath folder)
    {
        string digits = PartNames.DigitsOf(folder);
        List<string> names = PartNames.In(folderFd, folder);

        // What NFS has there of a file that was removed while somebody had it open.
        names.RemoveAll(n => n.StartsWith(".nfs", StringComparison.Ordinal));
        if (!names.TrueForAll(n => PartNames.IsMade(n, digits)))
        {
            return false;
        }

        foreach (string name in names)
        {
            _ = NodeCalls.Unlink(In(folderFd, name, folder.Text));
        }

        _ = NodeCalls.RemoveDirectory(folder);
        return true;
    }

    /// <summary>Whether what was opened is the file still. What cannot be told is an error: what is no file is removed.</summary>
    private static bool IsWhole(in NodePath path, int fd, long length)
    {
        PathErrors.ThrowIfFailed(Libc.Stat(fd, StatxMask.BasicStats, out Statx stat), "Looking at", path.Text);
        bool leads = TemporaryName.LeadsTo(path, fd, out int error);
        PathErrors.ThrowIfFailed(error, "Looking at", path.Text);
        return leads && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular && stat.NLink == 1 && (long)stat.Size == length;
    }

    private NodePath Mark(long range) =>
        In(_folder.Fd, string.Create(CultureInfo.InvariantCulture, $"{_id}.{range}"), _name.Text);
}
