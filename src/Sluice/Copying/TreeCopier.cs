using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies a tree. One thread walks the folders and makes their copies, others copy groups of entries; what has several names, and
/// the folders' own metadata, come last. A tree that is new is made under a temporary name as a whole, so that its files need none;
/// in one that is there already each file is copied as alone.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeCopier : IDisposable
{
    private readonly CopyOptions _options;
    private readonly CopyMeter _meter;
    private readonly CancellationToken _callersToken;
    private readonly CancellationTokenSource _stop;
    private readonly CopyFailures _failures;
    private readonly TreeEntryCopier _entries;
    private readonly bool _isNew;
    private readonly CopiedFolders _folders;
    private readonly TreeShare? _share;
    private TemporaryFolder? _temporary;
    private Statx _copy;
    private Exception? _fatal;

    private TreeCopier(CopyOptions options, CopyMeter meter, bool isNew, CancellationToken cancellationToken)
    {
        _options = options;
        _meter = meter;
        _callersToken = cancellationToken;
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _failures = meter.Failures = new CopyFailures(options.ContinueOnError, meter, _stop, Result);
        _isNew = isNew;
        _folders = new CopiedFolders(options, _failures, isNew);
        _share = options.Shard is { } shard ? new TreeShare(shard) : null;
        _entries = new TreeEntryCopier(options, meter, _failures, isNew, _stop.Token);
    }

    public static CopyResult Copy(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        using TargetLocation location = TargetLocation.Open(target, $"Copying '{source}' to");
        NodePath fromPath = NodePath.Of(source);
        PathErrors.ThrowIfFailed(
            NodeCalls.Stat(fromPath, followsLinks: false, StatxMask.BasicStats, out Statx from), "Looking at the source", source);
        int found = TreeShare.FindTarget(from, location, options, out Statx old);
        bool isNew = found == -Errno.ENOENT;
        using TreeCopier copier = new(options, meter, isNew, cancellationToken);
        if ((from.Mode & Statx.TypeMask) != Statx.TypeDirectory)
        {
            copier._entries.CopyLink(fromPath, location.Path, options.Overwrite);
            copier.FlushFolder(location);
            return copier.Result();
        }

        if (!isNew)
        {
            PathErrors.ThrowIfFailed(found, "Looking at the target", target);
            if (old.IsSame(from))
            {
                throw new IOException($"'{source}' and '{target}' are the same folder.");
            }

            if ((old.Mode & Statx.TypeMask) != Statx.TypeDirectory)
            {
                throw new IOException($"Copying '{source}' to '{target}' failed: the target is no folder.");
            }
        }

        // A copy into itself would never end.
        if (location.IsInside(from))
        {
            throw new IOException($"Copying '{source}' failed: the target '{target}' is inside it.");
        }

        using TreeRoot fromRoot = OpenRoot(fromPath, source, "Opening the folder");
        if (!isNew)
        {
            using TreeRoot toRoot = OpenRoot(location.Path, target, "Opening the target");
            copier.Run(fromRoot, toRoot);
            if (options.IsShared)
            {
                copier.FlushFolder(location, toRoot.Descriptor);
            }

            copier._failures.ThrowIfAny();
            return copier.Result();
        }

        using TemporaryFolder temporary = TemporaryFolder.Create(location.Path, options.Resume, from);
        using IDisposable touching = temporary.Touch(options.TouchMs);
        NodePath made = NodePath.In(temporary.Descriptor, [.. ".\0"u8], "");
        using (TreeRoot toRoot = OpenRoot(made, temporary.Text, "Opening the temporary folder"))
        {
            copier._temporary = temporary;
            copier._entries.SetsModes = NodeMetadata.HasDefaultList(temporary.Descriptor);
            copier.Run(fromRoot, toRoot);

            // The folder gets its own times.
            touching.Dispose();
            copier._folders.FinishRoot(fromRoot, toRoot);
            copier.ThrowIfEnded();
            if (options.FlushToDisk)
            {
                PathErrors.ThrowIfFailed(Libc.Flush(temporary.Descriptor), "Writing to the disk", temporary.Text);
            }
        }

        temporary.RenameTo(location.Path);
        copier.FlushFolder(location, temporary.Descriptor);
        copier._failures.ThrowIfAny();
        return copier.Result();
    }

    /// <summary>What the caller's token keeps of a copy goes with it.</summary>
    public void Dispose()
    {
        _folders.Dispose();
        _stop.Dispose();
    }

    private static TreeRoot OpenRoot(in NodePath path, string text, string verb)
    {
        int fd = PathCalls.Open(path, TreeRoot.FolderFlags);
        PathErrors.ThrowIfFailed(fd, verb, text);
        return new TreeRoot(fd, text);
    }

    private void FlushFolder(TargetLocation location, int fd = -1)
    {
        if (_options.FlushToDisk)
        {
            location.Flush(fd);
        }
    }

    private CopyResult Result() => _entries.Result() with { Folders = _share is null ? _folders.Count : _folders.MadeCount };

    private void Run(TreeRoot source, TreeRoot target)
    {
        PathErrors.ThrowIfFailed(target.Stat(out _copy), "Looking at the target", target.Text(TreePath.Root));
        TreeWorkers workers = new();
        try
        {
            workers.Start(TreeWorkers.CountFor(source.Descriptor, target.Descriptor), () => CopyGroups(workers));
            Walk(source, target, workers);
        }
        catch
        {
            // What was found is not copied any more: the caller's own exception is to reach him, and no tree is to be made after it.
            _stop.Cancel();
            throw;
        }
        finally
        {
            workers.End();
        }

        if (_fatal is not null)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(_fatal);
        }

        ThrowIfEnded();
        if (_options.IsFinish)
        {
            // A folder that gets its own mode may keep out the shard that has to be run again.
            _failures.ThrowIfAny();
        }

        if (_share is null)
        {
            _entries.CopyHardLinks(source, target);
            ThrowIfEnded();
            if (_options.IsFinish)
            {
                _failures.ThrowIfAny();
                _folders.RemoveLeftovers(source, target, _stop.Token);
                ThrowIfEnded();
            }

            _folders.Finish(source, target);
            ThrowIfEnded();
        }

        _folders.Flush(target);
    }

    /// <summary>
    /// Whether there is a reason to end: the caller's token first, since its exception says what the caller knows already.
    /// </summary>
    private void ThrowIfEnded()
    {
        _callersToken.ThrowIfCancellationRequested();
        if (_failures.HasEnded)
        {
            _failures.ThrowIfAny();
        }
    }

    private void Walk(TreeRoot source, TreeRoot target, TreeWorkers workers)
    {
        Stack<(TreePath Folder, bool MayBeThere)> due = new();
        due.Push((TreePath.Root, true));
        while (!_stop.IsCancellationRequested && due.TryPop(out (TreePath Folder, bool MayBeThere) next))
        {
            if (OpenFolder(source, target, next.Folder, next.MayBeThere) is not { } folder)
            {
                continue;
            }

            try
            {
                ReadFolder(folder, due, workers);
            }
            finally
            {
                folder.Release();
            }
        }
    }

    private TreeFolder? OpenFolder(TreeRoot source, TreeRoot target, TreePath folder, bool mayBeThere)
    {
        string from = source.Text(folder);
        int fromFd = source.Open(folder);
        if (fromFd < 0)
        {
            _failures.Add(from, PathErrors.Create(fromFd, "Opening the folder", from));
            return null;
        }

        DirectoryReader reader = DirectoryReader.Of(fromFd);
        int result = Libc.Stat(fromFd, StatxMask.BasicStats, out Statx stat);
        if (result == 0 && !folder.IsRoot && IsTheCopy(folder, stat))
        {
            reader.Release();
            _failures.Add(from, new IOException($"Copying '{from}' failed: it is the copy itself; the target is inside the source."));
            return null;
        }

        bool isMade = false;
        int toFd = result < 0 ? result : MakeFolder(target, folder, stat, mayBeThere, out isMade);
        string to = target.Text(folder);
        if (toFd < 0)
        {
            reader.Release();
            _failures.Add(from, toFd == -Errno.ENOTDIR
                ? new IOException($"Making the folder '{to}' failed: a file or a link has that name.")
                : PathErrors.Create(toFd, _options.IsFinish ? "Finishing the folder" : "Making the folder", to));
            return null;
        }

        LeftNames? left = !isMade && _isNew && _options.Resume ? StaleEntries.GoOnIn(reader, toFd, to) : null;
        bool flushesEach = _folders.Add(folder, stat, isMade, toFd);
        return new TreeFolder(folder, reader, toFd, from, to) { Left = left, FlushesEach = flushesEach };
    }

    /// <summary>
    /// Whether a folder of the source is the copy, to which another way leads: a part of the source is mounted where the copy is made.
    /// Where the numbers of such a way's files are others (an overlay's), a name that nobody could foresee tells.
    /// </summary>
    private bool IsTheCopy(TreePath folder, in Statx stat) => stat.IsSame(_copy) || _temporary?.IsRandomName(folder.Name) == true;

    /// <summary>Makes a folder of the copy, unless it may be there and is, and opens it; a negative errno where that fails.</summary>
    private int MakeFolder(TreeRoot target, TreePath folder, in Statx from, bool mayBeThere, out bool isMade)
    {
        isMade = false;
        if (folder.IsRoot)
        {
            return target.Open(folder);
        }

        int parent = target.OpenParent(folder, out byte[] name);
        if (parent < 0)
        {
            return parent;
        }

        NodePath path = NodePath.In(parent, name, "");
        int result = _options.IsFinish ? -Errno.EEXIST : TreeShare.MakeFolder(path, _options, from);
        isMade = result == 0;
        result = isMade || (result == -Errno.EEXIST && mayBeThere) ? PathCalls.Open(path, TreeRoot.FolderFlags) : result;
        PathCalls.Close(parent);
        return result;
    }

    private void ReadFolder(TreeFolder folder, Stack<(TreePath Folder, bool MayBeThere)> due, TreeWorkers workers)
    {
        TreeGroup? group = null;
        ulong hash = _share is null ? 0 : TreeShare.Begin(folder.Place);
        int bytes;
        while ((bytes = folder.Reader.Refill()) > 0)
        {
            while (folder.Reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
            {
                if (folder.IsLeftOut(_options.Exclude, name))
                {
                    continue;
                }

                byte[] kept = [.. name, 0];
                if (type == DirectoryReader.TypeUnknown && folder.Reader.Stat(kept, StatxMask.Type, out Statx stat) == 0)
                {
                    type = (byte)((stat.Mode & Statx.TypeMask) >> 12);
                }

                if (type == DirectoryReader.TypeDirectory)
                {
                    due.Push((folder.Place.Below(name), !_isNew || folder.Left?.Take(kept) == true));
                    continue;
                }

                if (_share?.Has(hash, name) == false)
                {
                    continue;
                }

                group ??= new TreeGroup(folder);
                group.Entries.Add((kept, type));
                if (group.Entries.Count == TreeGroup.MaxEntries)
                {
                    HandOver(group, workers);
                    group = null;
                }
            }
        }

        if (group is not null)
        {
            HandOver(group, workers);
        }

        if (bytes < 0)
        {
            _failures.Add(folder.FromText, PathErrors.Create(bytes, "Reading the folder", folder.FromText));
        }
    }

    /// <summary>With a reference to its folder, which its copier releases.</summary>
    private static void HandOver(TreeGroup group, TreeWorkers workers)
    {
        group.Folder.AddReference();
        workers.Add(group);
    }

    private void CopyGroups(TreeWorkers workers)
    {
        while (workers.TryTake(out TreeGroup? group))
        {
            try
            {
                if (!_stop.IsCancellationRequested)
                {
                    _entries.Copy(group);
                }
            }
            catch (OperationCanceledException) when (_stop.IsCancellationRequested)
            {
                // The walk sees the same token; any other one is the progress's own, and ends the copy as any other exception does.
            }
#pragma warning disable CA1031 // It ends the copy, on the caller's thread.
            catch (Exception e)
            {
                _ = Interlocked.CompareExchange(ref _fatal, e, null);
                _stop.Cancel();
            }
#pragma warning restore CA1031
            group.Folder.Release();
        }
    }
}
