using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// The directories that the copy of a tree has created or found. When their content is complete, they get their metadata and are flushed.
/// Used only by the thread that enumerates the tree.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class CopiedFolders(CopyOptions options, CopyFailures failures) : IDisposable
{
    private const uint OthersWrite = 0x12;

    private readonly List<CopiedFolder> _folders = [];

    // One open directory for each file system that the copy has reached (an existing tree can contain mount points), or the error of
    // opening it. The directories are opened before anything is written: the kernel reports an error to descriptors that were open when it
    // occurred, but to later ones only if it has not been reported yet.
    private readonly Dictionary<(uint, uint), FileSystem> _fileSystems = [];

    public int Count => _folders.Count;

    /// <summary>Gets the number of directories that the copy created.</summary>
    public int MadeCount => _folders.Count(f => f.IsMade);

    /// <summary>
    /// Returns the mode with which a directory is created, as with cp: the owner has all permissions, and no one else may write until the
    /// copy is complete. If metadata is preserved, no one else has access until the directory has its owner.
    /// </summary>
    public static uint ModeOfNew(in Statx from, CopyOptions options) =>
        ModeBits.OwnerAll
        | (options.PreserveMetadata ? 0 : from.Mode & ModeBits.All & (options.Shard is null ? ~OthersWrite : ~0u));

    /// <param name="folder">The path of the directory in the tree. A directory is added before its subdirectories.</param>
    /// <param name="from">The state of the source directory when it was opened.</param>
    /// <param name="isMade">True if the copy created the directory.</param>
    /// <param name="toFd">The open target directory.</param>
    public void Add(TreePath folder, in Statx from, bool isMade, int toFd) =>
        _folders.Add(new CopiedFolder(folder, from, isMade) { MustFlush = options.FlushToDisk && MustFlushEach(folder, toFd) });

    public void Dispose()
    {
        foreach (FileSystem one in _fileSystems.Values)
        {
            one.Opened.Dispose();
        }

        _fileSystems.Clear();
    }

    /// <summary>Sets the metadata of inner directories first, because creating an entry changes the times of its directory.</summary>
    public void Finish(TreeRoot source, TreeRoot target)
    {
        for (int i = _folders.Count - 1; i >= 0; i--)
        {
            CopiedFolder folder = _folders[i];
            if (options.PreserveMetadata || (folder.IsMade && ModeOfNew(folder.From, options) != (folder.From.Mode & ModeBits.All)))
            {
                TryFinish(source, target, folder);
            }
        }
    }

    /// <summary>Makes everything durable that the copy has written, on all file systems that it has reached.</summary>
    public void Flush(TreeRoot target)
    {
        foreach (CopiedFolder folder in _folders.Where(static f => f.MustFlush))
        {
            using Descriptor opened = new(target.Open(folder.Path));
            Flush(folder, opened.Fd, target.Text(folder.Path));
        }

        foreach (FileSystem one in _fileSystems.Values)
        {
            int result = one.Opened.Fd < 0 ? one.Opened.Fd : CopyCalls.FlushFileSystem(one.Opened.Fd);
            PathErrors.ThrowIfFailed(result, "Writing to the disk", target.Text(one.Folder));
        }
    }

    private static void Flush(CopiedFolder folder, int fd, string text)
    {
        int result = fd < 0 ? fd : Libc.Flush(fd);
        PathErrors.ThrowIfFailed(OpenFile.IsUnflushable(-result) ? 0 : result, "Writing the folder to the disk,", text);
        folder.MustFlush = false;
    }

    /// <summary>
    /// Returns true if <see cref="RemoteFileSystem.MustFlushEach"/> is true for a directory. Also registers its file system for the flush
    /// at the end.
    /// </summary>
    private bool MustFlushEach(TreePath folder, int toFd)
    {
        int result = Libc.Stat(toFd, StatxMask.Type, out Statx there);
        (uint, uint) number = result < 0 ? default : (there.DevMajor, there.DevMinor);
        if (!_fileSystems.TryGetValue(number, out FileSystem one))
        {
            int fd = result < 0 ? result : PathCalls.OpenAt(toFd, ".\0"u8, TreeRoot.FolderFlags);
            one = new FileSystem(folder, new Descriptor(fd), RemoteFileSystem.MustFlushEach(toFd));
            _fileSystems.Add(number, one);
        }

        return one.FlushesEach;
    }

    private void TryFinish(TreeRoot source, TreeRoot target, CopiedFolder folder)
    {
        string text = target.Text(folder.Path);
        try
        {
            using Descriptor to = new(target.Open(folder.Path));
            PathErrors.ThrowIfFailed(to.Fd, "Opening the folder", text);
            failures.AddRefusal(source.Text(folder.Path), SetMetadata(source, to.Fd, text, folder));
            if (folder.MustFlush)
            {
                // The directory is flushed while it is open: its new mode may forbid opening it again.
                Flush(folder, to.Fd, text);
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            failures.Add(source.Text(folder.Path), e);
        }
    }

    private Exception? SetMetadata(TreeRoot source, int toFd, string text, CopiedFolder folder)
    {
        Statx from = folder.From;
        PathErrors.ThrowIfFailed(Libc.Stat(toFd, StatxMask.BasicStats, out Statx made), "Looking at the folder", text);
        if (options.PreserveMetadata)
        {
            using Descriptor original = new(source.Open(folder.Path));
            PathErrors.ThrowIfFailed(original.Fd, "Opening the folder", source.Text(folder.Path));
            Exception? refused = NodeMetadata.Preserve(original.Fd, from, toFd, made, text);
            Exception? untimed = NodeMetadata.SetTimes(toFd, from, text);
            return refused ?? untimed;
        }

        uint mode = (made.Mode & ModeBits.All & ~(ModeBits.OwnerAll & ~(uint)from.Mode)) | (from.Mode & OthersWrite & ~Umask.Read());
        return NodeMetadata.SetPlainMode(toFd, made, mode, text);
    }

    private readonly record struct FileSystem(TreePath Folder, Descriptor Opened, bool FlushesEach);

    private sealed class CopiedFolder(TreePath path, in Statx from, bool isMade)
    {
        public TreePath Path => path;

        /// <summary>Gets the state of the source directory.</summary>
        public Statx From { get; } = from;

        public bool IsMade => isMade;

        /// <summary>
        /// Gets or sets a value that indicates whether the directory must be flushed individually and has not been flushed yet.
        /// </summary>
        public bool MustFlush { get; set; }
    }
}
