using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// The folders that the copy of a tree has made or found, and what they get when all that is in them is there: their own metadata, and
/// their place on the disk. For the thread that walks.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class CopiedFolders(CopyOptions options, CopyFailures failures, bool isNewTree)
{
    // What mkdir(2) takes: with the sticky bit, without set-user-ID and set-group-ID.
    private const uint FolderBits = 0x3FF;

    private readonly List<(byte[] Relative, Statx From, bool IsMade)> _folders = [];

    // A folder of each file system that the copy has come to: something may be mounted in a tree that was there.
    private readonly Dictionary<(uint, uint), byte[]> _fileSystems = [];

    public int Count => _folders.Count;

    /// <param name="relative">Its path from the root of the tree; the root comes first.</param>
    /// <param name="from">What its source was when it was opened.</param>
    /// <param name="isMade">Whether it was not there before.</param>
    /// <param name="toFd">The copy's folder, open.</param>
    public void Add(byte[] relative, in Statx from, bool isMade, int toFd)
    {
        _folders.Add((relative, from, isMade));
        if (options.FlushToDisk && (!isNewTree || relative.Length == 0) && Libc.Stat(toFd, StatxMask.Type, out Statx there) == 0)
        {
            _ = _fileSystems.TryAdd((there.DevMajor, there.DevMinor), relative);
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
            (byte[] relative, Statx from, bool isMade) = _folders[i];

            // One that an earlier copy has left has whatever mode that one had come to.
            bool isLeft = isNewTree && !isMade;
            bool isRestricted = isMade && (from.Mode & ModeBits.OwnerAll) != ModeBits.OwnerAll;
            if (options.PreserveMetadata || isLeft || isRestricted)
            {
                TryFinish(source, target, relative, from, isLeft);
            }
        }
    }

    /// <summary>The root of a new tree.</summary>
    public void FinishRoot(TreeRoot source, TreeRoot target)
    {
        if (_folders.Count > 0)
        {
            TryFinish(source, target, [], _folders[0].From, setsAll: true);
        }
    }

    /// <summary>Makes durable what the copy has written, wherever it is mounted.</summary>
    public void Flush(TreeRoot target)
    {
        foreach (byte[] relative in _fileSystems.Values)
        {
            using Descriptor folder = new(target.Open(relative));
            int result = folder.Fd < 0 ? folder.Fd : CopyCalls.FlushFileSystem(folder.Fd);
            PathErrors.ThrowIfFailed(result, "Writing to the disk", target.Text(relative));
        }
    }

    private void TryFinish(TreeRoot source, TreeRoot target, byte[] relative, in Statx from, bool setsAll)
    {
        try
        {
            FinishOne(source, target, relative, from, setsAll);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            failures.Add(source.Text(relative), e);
        }
    }

    /// <param name="source">The source's root.</param>
    /// <param name="target">The copy's root.</param>
    /// <param name="relative">The folder.</param>
    /// <param name="from">What its source was.</param>
    /// <param name="setsAll">Whether its mode is to be that of a new folder; else it has it, but for what its owner needed.</param>
    private void FinishOne(TreeRoot source, TreeRoot target, byte[] relative, in Statx from, bool setsAll)
    {
        using Descriptor to = new(target.Open(relative));
        PathErrors.ThrowIfFailed(Math.Min(to.Fd, 0), "Opening the folder", target.Text(relative));
        if (options.PreserveMetadata)
        {
            using Descriptor original = new(source.Open(relative));
            PathErrors.ThrowIfFailed(Math.Min(original.Fd, 0), "Opening the folder", source.Text(relative));
            NodeMetadata.Preserve(original.Fd, from, to.Fd, target.Text(relative));
            return;
        }

        PathErrors.ThrowIfFailed(Libc.Stat(to.Fd, StatxMask.BasicStats, out Statx made), "Looking at the folder", target.Text(relative));
        uint mode = setsAll
            ? from.Mode & FolderBits & ~Umask.Read()
            : made.Mode & ModeBits.All & ~(ModeBits.OwnerAll & ~(uint)from.Mode);
        PathErrors.ThrowIfFailed(NodeCalls.SetMode(to.Fd, mode), "Setting the permissions of", target.Text(relative));
    }
}
