using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// The folders that the copy of a tree has made or found, and what they get when all that is in them is there: their own metadata, and
/// their place on the disk. For the thread that walks.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class CopiedFolders(CopyOptions options, CopyFailures failures) : IDisposable
{
    private const uint OthersWrite = 0x12;

    private readonly List<CopiedFolder> _folders = [];

    // A folder of each file system that the copy has come to, since something may be mounted in a tree that was there; or why it could not
    // be opened. It is opened before anything is written: the kernel tells a descriptor of what has failed since it was opened, and of what
    // failed before only if nobody has been told.
    private readonly Dictionary<(uint, uint), FileSystem> _fileSystems = [];

    public int Count => _folders.Count;

    /// <summary>Those that were not there before.</summary>
    public int MadeCount => _folders.Count(f => f.IsMade);

    /// <summary>
    /// The mode in which a folder is made, as with cp: its owner may do everything in it, and nobody else may write there until all is
    /// copied. Where metadata is kept, others come in when the folder has its owner.
    /// </summary>
    public static uint ModeOfNew(in Statx from, CopyOptions options) =>
        ModeBits.OwnerAll
        | (options.PreserveMetadata ? 0 : from.Mode & ModeBits.All & (options.Shard is null ? ~OthersWrite : ~0u));

    /// <param name="folder">Where it is in the tree; the root comes first.</param>
    /// <param name="from">What its source was when it was opened.</param>
    /// <param name="isMade">Whether it was not there before.</param>
    /// <param name="toFd">The copy's folder, open.</param>
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

    /// <summary>Sets the metadata of inner folders first, since creating an entry changes the times of its folder.</summary>
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

    /// <summary>Makes durable what the copy has written, wherever it is mounted.</summary>
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
    /// Whether a folder lies where <see cref="RemoteFileSystem.MustFlushEach"/> holds; its file system is one that is flushed at the end.
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
            PathErrors.ThrowIfFailed(Math.Min(to.Fd, 0), "Opening the folder", text);
            failures.AddRefusal(source.Text(folder.Path), SetMetadata(source, to.Fd, text, folder));
            if (folder.MustFlush)
            {
                // While it is open: its mode may keep us out now.
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
        if (options.PreserveMetadata)
        {
            using Descriptor original = new(source.Open(folder.Path));
            PathErrors.ThrowIfFailed(Math.Min(original.Fd, 0), "Opening the folder", source.Text(folder.Path));
            Exception? refused = NodeMetadata.Preserve(original.Fd, from, toFd, text);
            Exception? untimed = NodeMetadata.SetTimes(toFd, from, text);
            return refused ?? untimed;
        }

        PathErrors.ThrowIfFailed(Libc.Stat(toFd, StatxMask.BasicStats, out Statx made), "Looking at the folder", text);
        uint mode = (made.Mode & ModeBits.All & ~(ModeBits.OwnerAll & ~(uint)from.Mode)) | (from.Mode & OthersWrite & ~Umask.Read());
        return NodeMetadata.SetPlainMode(toFd, mode, text);
    }

    private readonly record struct FileSystem(TreePath Folder, Descriptor Opened, bool FlushesEach);

    private sealed class CopiedFolder(TreePath path, in Statx from, bool isMade)
    {
        public TreePath Path => path;

        /// <summary>What its source was.</summary>
        public Statx From { get; } = from;

        public bool IsMade => isMade;

        /// <summary>Whether the folder's own names are to be written to the disk by themselves, and are not there.</summary>
        public bool MustFlush { get; set; }
    }
}
