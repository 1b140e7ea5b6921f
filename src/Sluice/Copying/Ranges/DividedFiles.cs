using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring.Abi;

namespace Sluice.Copying.Ranges;

/// <summary>
/// Large files of a tree that is copied in shards: each shard copies ranges of them, and the end of the copy gives them their names.
/// Thread-safe, but for the end.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class DividedFiles(CopyOptions options, CopyMeter meter, CopyFailures failures, CancellationToken cancellationToken)
{
    private readonly TreeShare? _share = options.Shard is { } shard ? new TreeShare(shard) : null;
    private readonly Lock _lock = new();
    private readonly List<(TreePath Folder, byte[] Name)> _whole = [];
    private readonly List<string> _refused = [];

    /// <summary>Whether a shard has to ask for the lengths of files that are others'.</summary>
    public static bool AsksForAll(CopyOptions options) =>
        options.RangeBytes > 0 && options.Method is CopyMethod.Auto or CopyMethod.Direct or CopyMethod.Buffered;

    /// <summary>Whether this shard copies a file that is not divided, or counts one that is.</summary>
    public bool IsOurs(TreeFolder folder, ReadOnlySpan<byte> name) =>
        _share?.Has(TreeShare.Begin(folder.Place), name) != false;

    /// <summary>Whether a file is copied in ranges.</summary>
    public bool Has(in Statx stat, in NodePath to) =>
        options.IsShared
        && (stat.Mode & Statx.TypeMask) == Statx.TypeRegular
        && (long)stat.Size > options.RangeBytes
        && !(options.PreserveMetadata && stat.NLink > 1)
        && Divides(to.FolderFd);

    /// <summary>
    /// Whether an entry of the source has such a name as the folders in which files are divided: whoever may write beside a file can
    /// foresee that one's, and what is copied to it would be taken for what shards have written. For the thread that walks.
    /// </summary>
    /// <param name="folder">Where it is.</param>
    /// <param name="name">Without a NUL.</param>
    public bool Refuses(TreeFolder folder, ReadOnlySpan<byte> name)
    {
        if (!options.IsShared || !TemporaryName.MayBePart(name) || !Divides(folder.To([.. name, 0]).FolderFd))
        {
            return false;
        }

        if (IsOurs(folder, name))
        {
            _refused.Add(folder.From([.. name, 0]).Text);
        }

        return true;
    }

    /// <summary>Adds what was refused to what has failed: at the end, since it keeps nothing else from being copied.</summary>
    public void TellRefused()
    {
        foreach (string path in _refused)
        {
            failures.Add(path, new IOException(
                $"Copying '{path}' failed: its name is kept for folders in which shards write a file. Leave it out, or divide no files."));
        }
    }

    /// <summary>
    /// Copies what is this shard's of a file. Null where that is the whole of it: it is not divided, or not on this file system. What it
    /// counts as unchanged is one file, for the shard that would have copied the whole.
    /// </summary>
    public CopyResult? Copy(TreeFolder folder, in NodePath from, in NodePath to)
    {
        using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, out Statx stat);
        bool isOurs = IsOurs(folder, from.Leaf);
        if (!Has(stat, to))
        {
            return null;
        }

        if (!isOurs && !options.MakesAnew && FileCopier.IsThere(stat, to))
        {
            return new CopyResult();
        }

        FileCopier alone = Alone();
        if (!alone.IsNeeded(opened.Fd, stat, from, to))
        {
            return new CopyResult { UnchangedFiles = isOurs ? 1 : 0 };
        }

        using PartFolder? part = PartFolder.OpenOrMake(to, stat, options.RangeBytes);
        return part is null ? null : Copy(part, folder, opened.Fd, stat, from, to);
    }

    /// <summary>
    /// Whether shards have written a file, which <see cref="Name"/> is to give its name then; false where it has it, or is missing.
    /// </summary>
    /// <exception cref="IOException">They have not written all of it.</exception>
    public bool Find(TreeFolder folder, in NodePath from, in Statx stat, in NodePath to)
    {
        if (!Has(stat, to) || (!options.MakesAnew && FileCopier.IsThere(stat, to)))
        {
            return false;
        }

        using PartFolder? part = PartFolder.TryOpen(to, stat, options.RangeBytes, forWriting: false);
        if (part is null)
        {
            // Also where all is made anew: an end that failed later may have given it its name.
            return !FileCopier.IsThere(stat, to) && PartFolder.HasAnother(to, stat, options.RangeBytes)
                ? throw SourceVersion.NotDividedSo(from)
                : false;
        }

        part.ThrowIfNotWhole(from, stat, to);
        using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, out _);
        ThrowIfNotThere(part, opened.Fd, from, stat, to);
        using (_lock.EnterUninterrupted())
        {
            _whole.Add((folder.Place, from.Name));
        }

        return true;
    }

    /// <summary>Gives all of them their names; the folders of both trees are opened anew.</summary>
    public void Name(TreeRoot fromRoot, TreeRoot toRoot)
    {
        foreach ((TreePath folder, byte[] name) in _whole)
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return;
            }

            using Descriptor fromFolder = new(fromRoot.Open(folder));
            using Descriptor toFolder = new(toRoot.Open(folder));
            NodePath from = NodePath.In(fromFolder.Fd, name, fromRoot.Text(folder));
            NodePath to = NodePath.In(toFolder.Fd, name, toRoot.Text(folder));
            try
            {
                PathErrors.ThrowIfFailed(Math.Min(Math.Min(fromFolder.Fd, toFolder.Fd), 0), "Opening the folder of", from.Text);
                NameOne(from, to);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                failures.Add(from.Text, e);
            }
        }
    }

    private void NameOne(in NodePath from, in NodePath to)
    {
        using Descriptor opened = FileCopier.OpenSource(from, followsLinks: false, out Statx stat);
        using PartFolder part = PartFolder.TryOpen(to, stat, options.RangeBytes, forWriting: true) ?? throw SourceVersion.Changed(from);
        part.ThrowIfNotWhole(from, stat, to);
        ThrowIfNotThere(part, opened.Fd, from, stat, to);
        Alone().Name(opened.Fd, stat, from, to, part);
        part.Remove();
        meter.Find(0);
        meter.EndFile();
    }

    /// <summary>Looks at the bytes of all ranges, and takes the mark of one that has others than its source.</summary>
    /// <exception cref="IOException">One has.</exception>
    private void ThrowIfNotThere(PartFolder part, int fromFd, in NodePath from, in Statx stat, in NodePath to)
    {
        for (long range = 0; range < part.Count; range++)
        {
            cancellationToken.ThrowIfCancellationRequested();
            if (!ContentComparer.IsSameAtPlaces(fromFd, from.Text, part.File, to.Text, part[range]))
            {
                part.TakeMark(range);
                SourceVersion.ThrowIfChanged(stat, from);
                throw new IOException(
                    $"Finishing the copy of '{from.Text}' failed: at byte {part[range].Begin} what was written is not there, as after a "
                    + "loss of power, or on a file system on which two machines cannot write one file; its shard has to be run again.");
            }
        }
    }

    private bool Divides(int folderFd) =>
        AsksForAll(options) && (options.SplitBytes is not null || PartFolder.MayBeShared(folderFd));

    private FileCopier Alone() => new(options, meter, cancellationToken)
    {
        FollowsLinks = false,
        ComparesFound = options.Verify || options.IsFinish,
    };

    private CopyResult Copy(PartFolder part, TreeFolder folder, int fromFd, in Statx stat, in NodePath from, in NodePath to)
    {
        ulong hash = TreeShare.Begin(folder.Place);
        RangeTransfer transfer = new(fromFd, from, stat, part, to.Text, options, meter, cancellationToken);

        // Where others may not see the lock the file may get its name while the file system copies.
        bool sharesBlocks = part.IsLocked && !Leftovers.IsShared(to.FolderFd);
        long bytes = 0;
        for (long range = 0; range < part.Count; range++)
        {
            if (!_share!.Has(hash, from.Leaf, range))
            {
                continue;
            }

            cancellationToken.ThrowIfCancellationRequested();
            if (options.MakesAnew)
            {
                part.TakeMark(range);
            }
            else if (part.IsMarked(range))
            {
                if (options.Verify && !ContentComparer.IsOnDisk(fromFd, from.Text, part.File, to.Text, part[range], cancellationToken))
                {
                    SourceVersion.ThrowIfChanged(stat, from);
                    part.TakeMark(range);
                    throw ContentComparer.Differs(from.Text, to.Text);
                }

                continue;
            }

            long length = part[range].End - part[range].Begin;
            meter.Correct(length);
            transfer.Run(part[range], sharesBlocks);
            part.SetMark(range);
            bytes += length;
        }

        return new CopyResult
        {
            Bytes = bytes,
            Method = transfer.Method,
            Depth = transfer.Method == CopyMethod.Direct ? options.RequestsOutstanding : 0,
        };
    }
}
