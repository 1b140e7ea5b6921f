using Microsoft.Win32.SafeHandles;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Log.Frames;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Folders;

/// <summary>The folder of a log: the names of its segments.</summary>
/// <param name="path">The full path of the folder.</param>
/// <param name="names">The names of the segments.</param>
/// <param name="folder">
/// The open folder, relative to which files are opened even if the path refers to another folder now; null for a reader, and on operating
/// systems other than Linux.
/// </param>
internal sealed class LogFolder(string path, SegmentNames names, SafeFileHandle? folder = null)
{
    public const string StateName = "log.state";

    public const string LockName = "log.lock";

    private const string MemoryName = "log.memory";

    private const string RemovalName = "log.truncate";

    private volatile SafeFileHandle? _folder = folder;

    /// <summary>True if the name of the open folder is on the disk.</summary>
    private volatile bool _hasDurableName;

    public string Path { get; } = path;

    /// <summary>The path of the file that describes a removal of records at the log's end until it is completed.</summary>
    public string RemovalPath => System.IO.Path.Combine(Path, RemovalName);

    public SegmentNames Names { get; } = names;

    /// <summary>
    /// Opens a file of the log. A writer opens, creates, removes and renames files relative to its open folder, because another user may be
    /// able to replace the folder at the path.
    /// </summary>
    /// <inheritdoc cref="LogFile.Open"/>
    public SluiceHandle Open(
        string path, FileMode mode, FileAccess access, SluiceLogOptions? settings = null, UnixFileMode? permissions = null)
    {
        return At(path, node => LogFile.Open(path, mode, access, settings, permissions, node));
    }

    /// <summary>
    /// Returns true if a file's name in the folder is gone or refers to another file; false if that cannot be determined.
    /// </summary>
    /// <param name="file">The file.</param>
    /// <param name="name">
    /// The name of the file in the form that the kernel takes, so that the check with each sync allocates nothing.
    /// </param>
    public bool HasLost(SluiceHandle file, byte[] name)
    {
        if (!Libc.IsSupported)
        {
            return false;
        }

        bool has;
        if (_folder is not { } open)
        {
            return LogFile.LookForName(file, NodePath.Of(file.Path), out has) == 0 && !has;
        }

        using OpenFile.Reference held = new(open);
        return LogFile.LookForName(file, NodePath.In(DescriptorOf(open), name, Path), out has) == 0 && !has;
    }

    /// <summary>Removes a file, if it exists.</summary>
    /// <exception cref="IOException">The file cannot be removed.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to remove the file, or it is a folder.</exception>
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

    /// <summary>
    /// Renames a file, on Linux. Fails if the new name exists, but replaces that file if the file system does not support RENAME_NOREPLACE.
    /// </summary>
    /// <exception cref="IOException">The file was not renamed.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to rename the file.</exception>
    public void Rename(string path, string newPath)
    {
        int result = At(path, from => At(newPath, to =>
            CopyCalls.RenameNew(from, to) is var renamed and not (-Errno.EINVAL or -Errno.ENOSYS) ? renamed : NodeCalls.Rename(from, to)));
        PathErrors.ThrowIfFailed(result, "Renaming", path);
    }

    /// <summary>Removes a file that is not part of the log. Errors are ignored, because such a file does no harm.</summary>
    /// <returns>True if the file does not exist any more.</returns>
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
    /// Removes a file whose records are not part of the log, or no longer. If the file cannot be deleted, it is emptied and flushed: an
    /// empty file contains no records of the log.
    /// </summary>
    /// <returns>Null if the file was deleted; the error of the deletion if the file was emptied.</returns>
    /// <exception cref="IOException">The file could be neither deleted nor emptied durably.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to delete the file, and the file could not be emptied durably.
    /// </exception>
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

    /// <summary>
    /// Returns false if the folder is known to have no file of this name; true if it has one or if that cannot be determined.
    /// </summary>
    public bool MayContain(string path) =>
        !Libc.IsSupported || At(path, static node => NodeCalls.Stat(node, followsLinks: false, StatxMask.BasicStats, out _)) != -Errno.ENOENT;

    /// <summary>
    /// Returns the size of a file and the time of its last write in nanoseconds since 1970; null if they cannot be determined, for example
    /// because the file was removed.
    /// </summary>
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

    /// <summary>Throws if an earlier version may have kept the last records of the log in shared memory only.</summary>
    /// <exception cref="NotSupportedException">The folder contains such a log.</exception>
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
    /// Makes the names in the folder durable (fsync(2)), and the first time that of the folder itself. Does nothing if the file system or
    /// the operating system has no such call for folders.
    /// </summary>
    /// <exception cref="IOException">The device failed, or the folder is gone.</exception>
    public void FlushToDisk()
    {
        if (_folder is not { } open)
        {
            return;
        }

        using OpenFile.Reference held = new(open);
        if (!_hasDurableName)
        {
            FlushName(open, Path);
            _hasDurableName = true;
        }

        PathErrors.ThrowIfFailed(IgnoreUnsupported(Libc.Flush(DescriptorOf(open))), "Flushing the folder", Path);
    }

    /// <summary>Opens a folder. Returns null on operating systems other than Linux.</summary>
    private static SafeFileHandle? OpenFolder(string path)
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
    private static int DescriptorOf(SafeFileHandle folder) => (int)folder.DangerousGetHandle();

    /// <summary>
    /// Opens the folder at the path again if the open one was deleted, and makes its name durable. This is safe, because only a user who
    /// can remove all of its files can delete it.
    /// </summary>
    /// <exception cref="IOException">The folder cannot be opened, or its name cannot be flushed.</exception>
    public void Renew()
    {
        if (TryLook(out Statx stat) && stat.NLink == 0)
        {
            SafeFileHandle? renewed = OpenFolder(Path);
            try
            {
                FlushName(renewed!, Path);
            }
            catch
            {
                renewed!.Dispose();
                throw;
            }

            // The old handle is closed by the garbage collector, because other threads may still use it.
            _folder = renewed;
        }
    }

    /// <summary>Looks at the open folder. Returns false if that fails, or if there is none.</summary>
    public bool TryLook(out Statx stat)
    {
        stat = default;
        if (_folder is not { } open)
        {
            return false;
        }

        using OpenFile.Reference held = new(open);
        return Libc.Stat(DescriptorOf(open), StatxMask.BasicStats, out stat) == 0;
    }

    /// <summary>Closes the open folder.</summary>
    public void Close() => _folder?.Dispose();

    /// <summary>
    /// Creates the folder of a log and missing parent folders, and opens it. Its name is made durable with the names of the log's files, also
    /// if the folder exists, because the program that created it may not have flushed its name. The names of missing parent folders are made
    /// durable at once, since the next opening finds them.
    /// </summary>
    /// <param name="path">A full path without a separator at its end.</param>
    /// <param name="names">The names of the segments.</param>
    /// <exception cref="IOException">A folder cannot be created or opened, or the name of a parent folder cannot be flushed.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to create or open a folder.</exception>
    public static LogFolder Make(string path, SegmentNames names)
    {
        if (File.Exists(path))
        {
            throw new IOException($"Opening the log '{path}' failed: it is a file, and a log needs a directory for its files.");
        }

        MakeParent(System.IO.Path.GetDirectoryName(path));
        _ = Directory.CreateDirectory(path);
        return new LogFolder(path, names, OpenFolder(path));
    }

    private static void MakeParent(string? path)
    {
        if (path is null || Directory.Exists(path))
        {
            return;
        }

        MakeParent(System.IO.Path.GetDirectoryName(path));
        _ = Directory.CreateDirectory(path);
        using SafeFileHandle? made = OpenFolder(path);
        if (made is not null)
        {
            FlushName(made, path);
        }
    }

    /// <summary>Makes the name of an open folder durable.</summary>
    private static void FlushName(SafeFileHandle folder, string path)
    {
        using OpenFile.Reference held = new(folder);
        int fd = PathCalls.OpenAt(DescriptorOf(folder), "..\0"u8, PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        using SafeFileHandle? parent = fd < 0 ? null : new SafeFileHandle(fd, ownsHandle: true);

        // A folder without read permission cannot be opened, so the whole file system of the log is flushed.
        int result = IgnoreUnsupported(fd < 0 ? CopyCalls.FlushFileSystem(DescriptorOf(folder)) : Libc.Flush(fd));

        // The file system of the log can be mounted in a folder of a read-only file system, which has nothing to flush.
        PathErrors.ThrowIfFailed(result == -Errno.EROFS ? 0 : result, "Flushing the name of", path);
    }

    private bool TryEmpty(string path, SluiceLogOptions settings)
    {
        try
        {
            using SluiceHandle file = Open(path, FileMode.Open, FileAccess.ReadWrite, settings);

            // The folder is flushed first, so that a power failure does not bring back a deleted later segment that continues this one.
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

    /// <summary>Returns the entries of the folder. A writer reads its open folder, even if the path refers to another folder now.</summary>
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
        if (_folder is not { } open)
        {
            return PathCalls.Open(PathCalls.ToKernel(Path), flags);
        }

        using OpenFile.Reference held = new(open);
        return PathCalls.OpenAt(DescriptorOf(open), ".\0"u8, flags);
    }

    /// <summary>Returns 0 in place of an error which says that the file system does not support the call.</summary>
    private static int IgnoreUnsupported(int result) => result is -Errno.EINVAL or -Errno.EOPNOTSUPP ? 0 : result;

    /// <summary>Calls a function with a file: relative to the open folder of a writer, otherwise by its path.</summary>
    private T At<T>(string path, Func<NodePath, T> call)
    {
        if (_folder is not { } open)
        {
            return call(NodePath.Of(path));
        }

        using OpenFile.Reference held = new(open);
        return call(NodePath.In(DescriptorOf(open), PathCalls.ToKernel(System.IO.Path.GetFileName(path)), Path));
    }
}
