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
    // What mkdir(2) takes: with the sticky bit, without set-user-ID and set-group-ID.
    private const uint FolderBits = 0x3FF;

    private readonly List<(TreePath Folder, Statx From, bool IsMade)> _folders = [];

    // A folder of each file system that the copy has come to, since something may be mounted in a tree that was there; or why it could not
    // be opened. It is opened before anything is written: the kernel tells a descriptor of what has failed since it was opened, and of what
    // failed before only if nobody has been told.
    private readonly Dictionary<(uint, uint), (TreePath Folder, Descriptor Opened)> _fileSystems = [];

    public int Count => _folders.Count;

    /// <summary>Those that were not there before.</summary>
    public int MadeCount => _folders.Count(f => f.IsMade);

    /// <param name="folder">Where it is in the tree; the root comes first.</param>
    /// <param name="from">What its source was when it was opened.</param>
    /// <param name="isMade">Whether it was not there before.</param>
    /// <param name="toFd">The copy's folder, open.</param>
    public void Add(TreePath folder, in Statx from, bool isMade, int toFd)
    {
        _folders.Add((folder, from, isMade));
        if (!options.FlushToDisk || (isNewTree && !folder.IsRoot))
        {
            return;
        }

        int result = Libc.Stat(toFd, StatxMask.Type, out Statx there);
        (uint, uint) number = result < 0 ? default : (there.DevMajor, there.DevMinor);
        if (!_fileSystems.ContainsKey(number))
        {
            int fd = result < 0 ? result : PathCalls.OpenAt(toFd, ".\0"u8, TreeRoot.FolderFlags);
            _fileSystems.Add(number, (folder, new Descriptor(fd)));
        }
    }

    public void Dispose()
    {
        foreach ((_, Descriptor opened) in _fileSystems.Values)
        {
            opened.Dispose();
        }

        _fileSystems.Clear();
    }

    /// <summary>Removes what killed processes left of this copy, in all folders; before the folders get their times.</summary>
    public void RemoveLeftovers(TreeRoot source, TreeRoot target, CancellationToken cancellationToken)
    {
        foreach ((TreePath folder, _, _) in _folders)
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
            (TreePath folder, Statx from, bool isMade) = _folders[i];

            // One that an earlier copy has left has whatever mode that one had come to.
            bool isLeft = isNewTree && !isMade;
            bool isRestricted = (isMade || options.IsFinish) && TreeShare.IsRestricted(from);
            if (options.PreserveMetadata || isLeft || isRestricted)
            {
                TryFinish(source, target, folder, from, isLeft);
            }
        }
    }

    /// <summary>The root of a new tree.</summary>
    public void FinishRoot(TreeRoot source, TreeRoot target)
    {
        if (_folders.Count > 0)
        {
            TryFinish(source, target, TreePath.Root, _folders[0].From, setsAll: true);
        }
    }

    /// <summary>Makes durable what the copy has written, wherever it is mounted.</summary>
    public void Flush(TreeRoot target)
    {
        foreach ((TreePath folder, Descriptor opened) in _fileSystems.Values)
        {
            int result = opened.Fd < 0 ? opened.Fd : CopyCalls.FlushFileSystem(opened.Fd);
            PathErrors.ThrowIfFailed(result, "Writing to the disk", target.Text(folder));
        }
    }

    private void TryFinish(TreeRoot source, TreeRoot target, TreePath folder, in Statx from, bool setsAll)
    {
        try
        {
            FinishOne(source, target, folder, from, setsAll);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            failures.Add(source.Text(folder), e);
        }
    }

    /// <param name="source">The source's root.</param>
    /// <param name="target">The copy's root.</param>
    /// <param name="folder">The folder.</param>
    /// <param name="from">What its source was.</param>
    /// <param name="setsAll">Whether its mode is to be that of a new folder; else it has it, but for what its owner needed.</param>
    private void FinishOne(TreeRoot source, TreeRoot target, TreePath folder, in Statx from, bool setsAll)
    {
        using Descriptor to = new(target.Open(folder));
        PathErrors.ThrowIfFailed(Math.Min(to.Fd, 0), "Opening the folder", target.Text(folder));
        if (options.PreserveMetadata)
        {
            using Descriptor original = new(source.Open(folder));
            PathErrors.ThrowIfFailed(Math.Min(original.Fd, 0), "Opening the folder", source.Text(folder));
            NodeMetadata.Preserve(original.Fd, from, to.Fd, target.Text(folder));
            return;
        }

        if (options.IsFinish && !TreeShare.TakeMark(to.Fd))
        {
            // No shard has made it, or FinishCopyAsync has been here before.
            return;
        }

        PathErrors.ThrowIfFailed(Libc.Stat(to.Fd, StatxMask.BasicStats, out Statx made), "Looking at the folder", target.Text(folder));

        uint mode = setsAll
            ? from.Mode & FolderBits & ~Umask.Read()
            : made.Mode & ModeBits.All & ~(ModeBits.OwnerAll & ~(uint)from.Mode);
        try
        {
            NodeMetadata.SetPlainMode(to.Fd, mode, target.Text(folder));
        }
        catch when (options.IsFinish)
        {
            // The next one is to find it as this one did.
            TreeShare.SetMark(to.Fd);
            throw;
        }
    }
}
