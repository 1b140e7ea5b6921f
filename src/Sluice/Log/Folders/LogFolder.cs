using Microsoft.Win32.SafeHandles;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Log.Frames;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Folders;

/// <summary>The folder of a log: the names of its segments.</summary>
/// <param name="path">Its full path.</param>
/// <param name="names">The names of the segments.</param>
/// <param name="folder">The open folder, in which files are named wherever its path leads by now; null for a reader, and elsewhere than on
/// Linux.</param>
internal sealed class LogFolder(string path, SegmentNames names, SafeFileHandle? folder = null)
{
    public const string StateName = "log.state";

    public const string LockName = "log.lock";

    private const string MemoryName = "log.memory";

    private const string RemovalName = "log.truncate";

    private volatile SafeFileHandle? _folder = folder;

    public string Path { get; } = path;

    /// <summary>The file of a removal of records at the log's end.</summary>
    public string RemovalPath => System.IO.Path.Combine(Path, RemovalName);

    public SegmentNames Names { get; } = names;

    /// <summary>
    /// Opens a file of the log. A writer names it in the folder that it has open, and makes, removes and renames files in the same way:
    /// another user may be able to replace the folder.
    /// </summary>
    /// <inheritdoc cref="LogFile.Open"/>
    public SluiceHandle Open(
        string path, FileMode mode, FileAccess access, SluiceLogOptions? settings = null, UnixFileMode? permissions = null)
    {
        return At(path, node => LogFile.Open(path, mode, access, settings, permissions, node));
    }

    /// <summary>Returns true if a file's name in the folder is gone or leads to another file; false if that cannot be known.</summary>
    /// <param name="file">The file.</param>
    /// <param name="name">Its name, for the kernel: this is asked before each sync, and allocates nothing.</param>
    public bool HasLost(SluiceHandle file, byte[] name)
    {
        if (!Libc.IsSupported)
        {
            return false;
        }

        bool has;
        if (_folder is null)
        {
            return LogFile.LookForName(file, NodePath.Of(file.Path), out has) == 0 && !has;
        }

        using OpenFile.Reference held = new(_folder);
        return LogFile.LookForName(file, NodePath.In(DescriptorOf(_folder), name, Path), out has) == 0 && !has;
    }

    /// <summary>Removes a file, if it is there.</summary>
    /// <exception cref="IOException">It cannot be removed.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be removed, or is a folder.</exception>
    public void Delete(string path)
    {
        if (!Libc.IsSupported)
        {
            File.Delete(path);
            return;
        }

        int result = At(path, static node => NodeCalls.Unlink(node));
        PathErrors.ThrowIfFailed(result == -Errno.ENOENT ? 0 : result, "Removing", path);
    }

    /// <summary>Gives a file another name, which no file has. For Linux.</summary>
    /// <exception cref="IOException">It keeps its name.</exception>
    /// <exception cref="UnauthorizedAccessException">It keeps its name.</exception>
    public void Rename(string path, string newPath)
    {
        int result = At(path, from => At(newPath, to =>
            CopyCalls.RenameNew(from, to) is var renamed and not (-Errno.EINVAL or -Errno.ENOSYS) ? renamed : NodeCalls.Rename(from, to)));
        PathErrors.ThrowIfFailed(result, "Renaming", path);
    }

    /// <summary>
    /// Removes a file that is not needed. A file that cannot be removed does no harm, because its content shows that it is not part of the
    /// log.
    /// </summary>
    /// <returns>Whether it is gone.</returns>
    public bool TryDelete(string path)
    {
        try
        {
            Delete(path);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>
    /// Removes a file that is not part of the log. If its name cannot be removed, the file is emptied and flushed: an empty file contains
    /// no records of the log.
    /// </summary>
    /// <returns>Why it is still there, and empty; null where it is not.</returns>
    /// <exception cref="IOException">It is still there as it was.</exception>
    /// <exception cref="UnauthorizedAccessException">It is still there as it was.</exception>
    public Exception? DeleteOrEmpty(string path, SluiceLogOptions settings)
    {
        try
        {
            Delete(path);
            return null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            if (!TryEmpty(path, settings))
            {
                throw;
            }

            return e;
        }
    }

    public string PathOf(long id, DateTime utc = default) => System.IO.Path.Combine(Path, Names.NameOf(id, utc));

    /// <summary>Returns the ids of the segments of a framed log in ascending order.</summary>
    /// <exception cref="NotSupportedException">A segment exists only in compressed form.</exception>
    public List<long> List()
    {
        List<SegmentEntry> entries = ListEntries();
        return entries.Find(static e => e is { HasCompressed: true, HasPlain: false }) is not { } only
            ? [.. entries.Where(static e => e is { HasPlain: true, IsFolder: false }).Select(static e => e.Id)]
            : throw new NotSupportedException(
                $"'{only.CompressedPath}' is a compressed segment, which this version does not read. Decompress it with 'gzip -d'.");
    }

    /// <summary>Returns the files of each segment, ordered by ids and then by names.</summary>
    public List<SegmentEntry> ListEntries()
    {
        Dictionary<string, SegmentEntry> entries = new(StringComparer.Ordinal);
        foreach ((string whole, bool isFolder, bool isLink) in ReadNames())
        {
            string name = whole;
            string suffix = name.EndsWith(SegmentNames.Compressing, StringComparison.Ordinal) ? SegmentNames.Compressing
                : name.EndsWith(SegmentNames.Compressed, StringComparison.Ordinal) ? SegmentNames.Compressed
                : "";
            name = name[..^suffix.Length];
            if (Names.TryParse(name, out long id, out DateTime utc))
            {
                if (!entries.TryGetValue(name, out SegmentEntry? entry))
                {
                    entries.Add(name, entry = new SegmentEntry(id, System.IO.Path.Combine(Path, name), utc));
                }

                entry.IsForeign |= isFolder || isLink;
                entry.IsFolder |= isFolder && suffix.Length == 0;
                entry.HasPlain |= suffix.Length == 0;
                entry.HasCompressed |= suffix == SegmentNames.Compressed;
                entry.HasUnfinished |= suffix == SegmentNames.Compressing;
            }
        }

        return [.. entries.Values.OrderBy(static e => e.Id).ThenBy(static e => e.Path, StringComparer.Ordinal)];
    }

    /// <summary>Opens a segment for reading.</summary>
    /// <exception cref="FileNotFoundException">The segment does not exist.</exception>
    public SluiceHandle OpenToRead(long id) => Open(PathOf(id), FileMode.Open, FileAccess.Read);

    /// <summary>Returns false only if the system says that the folder has no file of this name.</summary>
    public bool MayContain(string path) =>
        !Libc.IsSupported || At(path, static node => NodeCalls.Stat(node, followsLinks: false, StatxMask.BasicStats, out _)) != -Errno.ENOENT;

    /// <summary>Returns the size of a file and the time of its last write; null if it does not exist any more.</summary>
    public (long Bytes, long WrittenAt)? LookAt(string path)
    {
        if (!Libc.IsSupported)
        {
            return new FileInfo(path) is { Exists: true } file
                ? (file.Length, LogLayout.ToNanoseconds(file.LastWriteTimeUtc)) : null;
        }

        return At(path, static node => NodeCalls.Stat(node, followsLinks: false, StatxMask.BasicStats, out Statx stat) == 0
            ? ((long)stat.Size, (stat.Mtime.Seconds * 1_000_000_000) + stat.Mtime.Nanoseconds) : default((long, long)?));
    }

    /// <summary>Refuses a framed log whose last records an earlier version may have kept in shared memory only.</summary>
    /// <exception cref="NotSupportedException">The directory contains such a log.</exception>
    public void ThrowIfOfRemovedFeature()
    {
        string memory = System.IO.Path.Combine(Path, MemoryName);
        if (File.Exists(memory))
        {
            throw new NotSupportedException(
                $"'{memory}' belongs to a log whose last records an earlier version may have kept in shared memory, which this version does "
                + "not read. Open and close the log with that version, or delete this file to open the log without these records.");
        }
    }

    /// <summary>
    /// Makes the names in the folder durable (fsync). Where a file system or an operating system has no such call for folders, its own
    /// order must do.
    /// </summary>
    /// <exception cref="IOException">The device failed, or the folder is gone.</exception>
    public void FlushToDisk()
    {
        int result;
        if (_folder is not null)
        {
            using OpenFile.Reference held = new(_folder);
            result = WhereKnown(Libc.Flush(DescriptorOf(_folder)));
        }
        else
        {
            result = Flush(Path);
        }

        PathErrors.ThrowIfFailed(result, "Flushing the folder", Path);
    }

    /// <summary>Opens a folder; null elsewhere than on Linux.</summary>
    /// <exception cref="IOException">It cannot be opened.</exception>
    /// <exception cref="UnauthorizedAccessException">It may not be opened.</exception>
    public static SafeFileHandle? OpenFolder(string path)
    {
        if (!Libc.IsSupported)
        {
            return null;
        }

        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening", path);
        return new SafeFileHandle(fd, ownsHandle: true);
    }

    /// <summary>Returns the descriptor of an open folder. The caller holds a reference to it.</summary>
    public static int DescriptorOf(SafeFileHandle folder) => (int)folder.DangerousGetHandle();

    /// <summary>Opens the folder at the path if the one that is open was deleted. Only a user who may empty it can delete it.</summary>
    public void Renew()
    {
        if (_folder is { } deleted && Libc.Stat(DescriptorOf(deleted), StatxMask.NLink, out Statx stat) == 0 && stat.NLink == 0)
        {
            // Other threads may still use the old one, which the garbage collector closes.
            _folder = OpenFolder(Path);
        }
    }

    /// <summary>Closes the open folder.</summary>
    public void Close() => _folder?.Dispose();

    /// <summary>
    /// Creates the folder and missing folders above it durably: each name is flushed in the folder that contains it. The log's own name is
    /// flushed even if the folder exists, because the program that created it may not have flushed it.
    /// </summary>
    /// <param name="path">A full path without a separator at its end.</param>
    /// <exception cref="IOException">A folder cannot be made, or its name cannot be flushed.</exception>
    /// <exception cref="UnauthorizedAccessException">A folder may not be made.</exception>
    public static void Make(string path)
    {
        string? oldest = System.IO.Path.GetDirectoryName(path);
        while (oldest is not null && !Directory.Exists(oldest))
        {
            oldest = System.IO.Path.GetDirectoryName(oldest);
        }

        _ = Directory.CreateDirectory(path);
        for (string? at = path; at != oldest && (at = System.IO.Path.GetDirectoryName(at)) is not null;)
        {
            int result = Flush(at);
            if (result == -Errno.EACCES)
            {
                // A folder that may be searched and not read cannot be opened to be flushed.
                result = FlushFileSystem(path);
            }

            // A read-only file system, on which the log's own is mounted, has nothing to flush.
            PathErrors.ThrowIfFailed(result == -Errno.EROFS ? 0 : result, "Flushing the folder", at);
        }
    }

    private bool TryEmpty(string path, SluiceLogOptions settings)
    {
        try
        {
            using SluiceHandle file = Open(path, FileMode.Open, FileAccess.ReadWrite, settings);

            // Sync the directory first, so that no later segment that was deleted comes back and refers to this one.
            FlushToDisk();
            LogFile.SetLength(file, 0);
            LogFile.FlushData(file, settings);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    /// <summary>Returns the entries of the folder. A writer reads the folder that it has open, wherever its path leads now.</summary>
    private List<(string Name, bool IsFolder, bool IsLink)> ReadNames()
    {
        if (!Libc.IsSupported)
        {
            return [.. new DirectoryInfo(Path).EnumerateFileSystemInfos()
                .Select(static f => (f.Name, f is DirectoryInfo, f.LinkTarget is not null))];
        }

        int fd = OpenToList();
        if (fd == -Errno.ENOENT)
        {
            throw new DirectoryNotFoundException($"Listing '{Path}' failed: the folder does not exist.");
        }

        PathErrors.ThrowIfFailed(fd, "Listing", Path);
        DirectoryReader reader = DirectoryReader.Of(fd);
        try
        {
            List<(string, bool, bool)> entries = [];
            int result;
            while ((result = reader.Refill()) > 0)
            {
                while (reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
                {
                    int mode = type == DirectoryReader.TypeUnknown
                        && reader.Stat([.. name, 0], StatxMask.BasicStats, out Statx stat) == 0 ? stat.Mode & Statx.TypeMask : 0;
                    entries.Add((
                        NodePath.Decode(name),
                        type == DirectoryReader.TypeDirectory || mode == Statx.TypeDirectory,
                        type == DirectoryReader.TypeLink || mode == Statx.TypeLink));
                }
            }

            PathErrors.ThrowIfFailed(result, "Listing", Path);
            return entries;
        }
        finally
        {
            reader.Release();
        }
    }

    private int OpenToList()
    {
        int flags = PathCalls.ReadOnly | PathCalls.DirectoryFlag;
        if (_folder is null)
        {
            return PathCalls.Open(PathCalls.ToKernel(Path), flags);
        }

        using OpenFile.Reference held = new(_folder);
        return PathCalls.OpenAt(DescriptorOf(_folder), ".\0"u8, flags);
    }

    /// <summary>fsync(2); 0 where the operating system or the file system has no such call for folders.</summary>
    private static int Flush(string path) => WithFolder(path, static fd => Libc.Flush(fd));

    private static int FlushFileSystem(string path) => WithFolder(path, CopyCalls.FlushFileSystem);

    private static int WithFolder(string path, Func<int, int> flush)
    {
        if (!Libc.IsSupported)
        {
            return 0;
        }

        int fd = PathCalls.Open(PathCalls.ToKernel(path), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        if (fd < 0)
        {
            return fd;
        }

        using SafeFileHandle folder = new(fd, ownsHandle: true);
        return WhereKnown(flush(fd));
    }

    /// <summary>Returns 0 if the file system or the operating system has no such call.</summary>
    private static int WhereKnown(int result) => result is -Errno.EINVAL or -Errno.EOPNOTSUPP ? 0 : result;

    /// <summary>Calls a function for a file: in the folder that a writer has open, else at its path.</summary>
    private T At<T>(string path, Func<NodePath, T> call)
    {
        if (_folder is null)
        {
            return call(NodePath.Of(path));
        }

        using OpenFile.Reference held = new(_folder);
        return call(NodePath.In(DescriptorOf(_folder), PathCalls.ToKernel(System.IO.Path.GetFileName(path)), Path));
    }
}
