using System.Runtime.Versioning;
using Sluice.Enumeration;
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
internal sealed class CopiedFolders(CopyOptions options, CopyFailures failures, bool isNewTree) : IDisposable
{
    // What mkdir(2) takes: with the sticky bit, without set-user-ID and set-group-ID, which a new folder has from the one above it.
    private const uint FolderBits = 0x3FF;

    private readonly List<CopiedFolder> _folders = [];

    // A folder of each file system that the copy has come to, since something may be mounted in a tree that was there; or why it could not
    // be opened. It is opened before anything is written: the kernel tells a descriptor of what has failed since it was opened, and of what
    // failed before only if nobody has been told.
    private readonly Dictionary<(uint, uint), FileSystem> _fileSystems = [];

    public int Count => _folders.Count;

    /// <summary>Those that were not there before.</summary>
    public int MadeCount => _folders.Count(f => f.IsMade);

    /// <param name="folder">Where it is in the tree; the root comes first.</param>
    /// <param name="from">What its source was when it was opened.</param>
    /// <param name="isMade">Whether it was not there before.</param>
    /// <param name="toFd">The copy's folder, open.</param>
    /// <returns>Whether each file in it has to be written to the disk by itself.</returns>
    public bool Add(TreePath folder, in Statx from, bool isMade, int toFd)
    {
        bool flushesEach = options.FlushToDisk && MustFlushEach(folder, toFd);
        _folders.Add(new CopiedFolder(folder, from, isMade) { MustFlush = flushesEach, FlushesEach = flushesEach });
        return flushesEach;
    }

    public void Dispose()
    {
        foreach (FileSystem one in _fileSystems.Values)
        {
            one.Opened.Dispose();
        }

        _fileSystems.Clear();
    }

    /// <summary>Removes what killed processes left of this copy, in all folders; before the folders get their times.</summary>
    public void RemoveLeftovers(TreeRoot source, TreeRoot target, CancellationToken cancellationToken)
    {
        foreach (TreePath folder in _folders.Select(static f => f.Path))
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return;
            }

            int fromFd = source.Open(folder);
            int toFd = fromFd < 0 ? fromFd : target.Open(folder);
            if (toFd < 0)
            {
                new Descriptor(fromFd).Dispose();
                continue;
            }

            DirectoryReader from = DirectoryReader.Of(fromFd);
            try
            {
                Leftovers.RemoveOfShards(
                    from, toFd, target.Text(folder),
                    name => options.Exclude?.Invoke(NodePath.Decode(folder.Below(name).ToBytes())) == true,
                    cancellationToken);
            }
            finally
            {
                from.Release();
            }
        }
    }

    /// <summary>
    /// From the inside out: a folder's times change with what is made in it. The root of a new tree, which is its owner's alone until all
    /// is there, comes last and by itself.
    /// </summary>
    public void Finish(TreeRoot source, TreeRoot target)
    {
        for (int i = _folders.Count - 1; i >= (isNewTree ? 1 : 0); i--)
        {
            CopiedFolder folder = _folders[i];

            // One that an earlier copy has left has whatever mode that one had come to.
            bool isLeft = isNewTree && !folder.IsMade;
            bool isRestricted = (folder.IsMade || options.IsFinish) && TreeShare.IsRestricted(folder.From);
            if (options.PreserveMetadata || isLeft || isRestricted)
            {
                TryFinish(source, target, folder, isLeft);
            }
        }
    }

    /// <summary>The root of a new tree.</summary>
    public void FinishRoot(TreeRoot source, TreeRoot target)
    {
        if (_folders.Count > 0)
        {
            TryFinish(source, target, _folders[0], setsAll: true);
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
        if (isNewTree && !folder.IsRoot)
        {
            return _folders[0].FlushesEach;
        }

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

    private void TryFinish(TreeRoot source, TreeRoot target, CopiedFolder folder, bool setsAll)
    {
        try
        {
            using Descriptor to = new(target.Open(folder.Path));
            PathErrors.ThrowIfFailed(Math.Min(to.Fd, 0), "Opening the folder", target.Text(folder.Path));
            FinishOne(source, to.Fd, target.Text(folder.Path), folder, setsAll);
            if (folder.MustFlush)
            {
                // While it is open: its mode may keep us out now.
                Flush(folder, to.Fd, target.Text(folder.Path));
            }
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            failures.Add(source.Text(folder.Path), e);
        }
    }

    /// <param name="source">The source's root.</param>
    /// <param name="toFd">The copy's folder.</param>
    /// <param name="text">Its path, for people.</param>
    /// <param name="folder">Where it is, and what its source was.</param>
    /// <param name="setsAll">Whether its mode is to be that of a new folder; else it has it, but for what its owner needed.</param>
    private void FinishOne(TreeRoot source, int toFd, string text, CopiedFolder folder, bool setsAll)
    {
        if (options.PreserveMetadata)
        {
            using Descriptor original = new(source.Open(folder.Path));
            PathErrors.ThrowIfFailed(Math.Min(original.Fd, 0), "Opening the folder", source.Text(folder.Path));
            NodeMetadata.Preserve(original.Fd, folder.From, toFd, text);
            return;
        }

        if (options.IsFinish && !TreeShare.TakeMark(toFd))
        {
            // No shard has made it, or FinishCopyAsync has been here before.
            return;
        }

        PathErrors.ThrowIfFailed(Libc.Stat(toFd, StatxMask.BasicStats, out Statx made), "Looking at the folder", text);

        uint mode = setsAll
            ? (folder.From.Mode & FolderBits & ~Umask.Read()) | (made.Mode & ModeBits.SetGroup)
            : made.Mode & ModeBits.All & ~(ModeBits.OwnerAll & ~(uint)folder.From.Mode);
        try
        {
            NodeMetadata.SetPlainMode(toFd, mode, text);
        }
        catch when (options.IsFinish)
        {
            // The next one is to find it as this one did.
            TreeShare.SetMark(toFd);
            throw;
        }
    }

    private readonly record struct FileSystem(TreePath Folder, Descriptor Opened, bool FlushesEach);

    private sealed class CopiedFolder(TreePath path, in Statx from, bool isMade)
    {
        public TreePath Path => path;

        /// <summary>What its source was.</summary>
        public Statx From { get; } = from;

        public bool IsMade => isMade;

        /// <summary>Whether each file in it is written to the disk by itself.</summary>
        public bool FlushesEach { get; init; }

        /// <summary>Whether the folder's own names are to be written to the disk by themselves, and are not there.</summary>
        public bool MustFlush { get; set; }
    }
}
