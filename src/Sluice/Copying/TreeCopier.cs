using System.Collections.Concurrent;
using System.Runtime.ExceptionServices;
using System.Runtime.Versioning;
using Sluice.Enumeration;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies a tree. One thread enumerates the directories and creates their copies, and other threads copy groups of entries. Hard links and
/// the metadata of directories come last. All entries are created at their final names.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeCopier : IDisposable
{
    private readonly CopyOptions _options;
    private readonly CancellationToken _callersToken;
    private readonly CancellationTokenSource _stop;
    private readonly CopyFailures _failures;
    private readonly TreeEntryCopier _entries;
    private readonly CopiedFolders _folders;
    private readonly TreeShare? _share;
    private bool _isRootMade;
    private Statx _copy;
    private Exception? _fatal;

    private TreeCopier(CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        _options = options;
        _callersToken = cancellationToken;
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _failures = meter.Failures = new CopyFailures(options.ContinueOnError, meter, _stop, Result);
        _folders = new CopiedFolders(options, _failures);
        _share = options.Shard is { } shard ? new TreeShare(shard) : null;
        _entries = new TreeEntryCopier(options, meter, _failures, _stop.Token);
    }

    public static CopyResult Copy(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        using TargetLocation location = TargetLocation.Open(target, $"Copying '{source}' to");
        NodePath fromPath = NodePath.Of(source);
        PathErrors.ThrowIfFailed(
            NodeCalls.Stat(fromPath, followsLinks: false, StatxMask.BasicStats, out Statx from), "Looking at the source", source);
        using TreeCopier copier = new(options, meter, cancellationToken);
        if ((from.Mode & Statx.TypeMask) != Statx.TypeDirectory)
        {
            copier._entries.CopyLink(fromPath, location.Path, mayExist: true);
            copier.End(location);
            return copier.Result();
        }

        using TreeRoot fromRoot = OpenRoot(fromPath, source, "Opening the folder");

        // A copy into itself would never end.
        if (location.IsInside(from))
        {
            throw new IOException($"Copying '{source}' failed: the target '{target}' is inside it.");
        }

        using TreeRoot toRoot = copier.MakeRoot(source, from, location);
        copier.Run(fromRoot, toRoot);
        copier.End(location, toRoot.Descriptor);
        return copier.Result();
    }

    /// <summary>Closes the directories, and releases the registration with the caller's token.</summary>
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

    /// <summary>Creates the target directory, or opens the existing one.</summary>
    private TreeRoot MakeRoot(string source, in Statx from, TargetLocation location)
    {
        string target = location.Path.Text;
        int made = NodeCalls.MakeDirectory(location.Path, CopiedFolders.ModeOfNew(from, _options));
        _isRootMade = made == 0;
        PathErrors.ThrowIfFailed(made == -Errno.EEXIST ? 0 : made, "Making the folder", target);
        int fd = PathCalls.Open(location.Path, TreeRoot.FolderFlags);
        if (fd is -Errno.ENOTDIR or -Errno.ELOOP)
        {
            throw new IOException($"Copying '{source}' to '{target}' failed: the target is not a folder.");
        }

        PathErrors.ThrowIfFailed(fd, "Opening the target", target);
        TreeRoot root = new(fd, target);
        try
        {
            PathErrors.ThrowIfFailed(root.Stat(out _copy), "Looking at the target", target);
            if (_copy.IsSame(from))
            {
                throw new IOException($"'{source}' and '{target}' are the same folder.");
            }

            if (_share is not null)
            {
                location.ThrowIfPlanted(_copy, "Copying in shards to");
            }

            return root;
        }
        catch
        {
            root.Dispose();
            throw;
        }
    }

    private void End(TargetLocation location, int fd = -1)
    {
        if (_options.FlushToDisk)
        {
            location.Flush(fd);
        }

        _failures.ThrowIfAny();
    }

    private CopyResult Result() => _entries.Result() with { Folders = _share is null ? _folders.Count : _folders.MadeCount };

    private void Run(TreeRoot source, TreeRoot target)
    {
        using BlockingCollection<TreeGroup> groups = new(Tuning.TreeCopierMaxWaitingGroups);
        List<Task> workers = [];
        try
        {
            // If requests go to another machine, there are more threads than processors.
            bool isRemote = RemoteFileSystem.Holds(source.Descriptor) || RemoteFileSystem.Holds(target.Descriptor);
            int count = Math.Max(Environment.ProcessorCount, isRemote ? Tuning.TreeCopierRemoteWorkers : 2);
            while (workers.Count < count)
            {
                workers.Add(Task.Factory.StartNew(
                    () => CopyGroups(groups), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default));
            }

            Walk(source, target, groups);
        }
        catch
        {
            // The remaining groups are not copied, and no directory is created any more: the exception must reach the caller.
            _stop.Cancel();
            throw;
        }
        finally
        {
            groups.CompleteAdding();
            Task.WaitAll(workers, CancellationToken.None);
        }

        if (_fatal is not null)
        {
            ExceptionDispatchInfo.Throw(_fatal);
        }

        ThrowIfEnded();
        if (_share is null)
        {
            _entries.CopyHardLinks(source, target);
            ThrowIfEnded();
            _folders.Finish(source, target);
            ThrowIfEnded();
        }

        _folders.Flush(target);
    }

    /// <summary>Throws an exception if the copy has ended. The caller's token is checked first.</summary>
    private void ThrowIfEnded()
    {
        _callersToken.ThrowIfCancellationRequested();
        if (_failures.HasEnded)
        {
            _failures.ThrowIfAny();
        }
    }

    private void Walk(TreeRoot source, TreeRoot target, BlockingCollection<TreeGroup> groups)
    {
        Stack<(TreePath Folder, bool MayExist)> due = new();
        due.Push((TreePath.Root, true));
        while (!_stop.IsCancellationRequested && due.TryPop(out (TreePath Folder, bool MayExist) next))
        {
            if (OpenFolder(source, target, next.Folder, next.MayExist) is not { } folder)
            {
                continue;
            }

            try
            {
                ReadFolder(folder, due, groups);
            }
            finally
            {
                folder.Release();
            }
        }
    }

    private TreeFolder? OpenFolder(TreeRoot source, TreeRoot target, TreePath folder, bool mayExist)
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
        if (result == 0 && !folder.IsRoot && stat.IsSame(_copy))
        {
            // The directory is the root of the copy: for example, a part of the source is mounted at the target.
            reader.Release();
            _failures.Add(from, new IOException($"Copying '{from}' failed: it is the copy itself; the target is inside the source."));
            return null;
        }

        bool isMade = _isRootMade;
        int toFd = result < 0 ? result
            : folder.IsRoot ? target.Open(folder)
            : MakeFolder(target, folder, stat, mayExist, out isMade);
        string to = target.Text(folder);
        if (toFd < 0)
        {
            reader.Release();
            _failures.Add(from, toFd == -Errno.ENOTDIR
                ? new IOException($"Making the folder '{to}' failed: a file or a link has that name.")
                : PathErrors.Create(toFd, "Making the folder", to));
            return null;
        }

        _folders.Add(folder, stat, isMade, toFd);

        // A directory that this copy created contains only entries that this copy created. Other entries are not trusted.
        return new TreeFolder(folder, reader, toFd, from, to) { MayHaveEntries = !isMade || _share is not null };
    }

    /// <summary>
    /// Creates a directory of the copy, or accepts an existing one if <paramref name="mayExist"/> is true, and opens it. Returns a
    /// negative errno on failure.
    /// </summary>
    private int MakeFolder(TreeRoot target, TreePath folder, in Statx from, bool mayExist, out bool isMade)
    {
        isMade = false;
        int parent = target.OpenParent(folder, out byte[] name);
        if (parent < 0)
        {
            return parent;
        }

        NodePath path = NodePath.In(parent, name, "");
        int result = NodeCalls.MakeDirectory(path, CopiedFolders.ModeOfNew(from, _options));
        isMade = result == 0;
        result = isMade || (result == -Errno.EEXIST && mayExist) ? PathCalls.Open(path, TreeRoot.FolderFlags) : result;
        PathCalls.Close(parent);
        return result;
    }

    private void ReadFolder(
        TreeFolder folder, Stack<(TreePath Folder, bool MayExist)> due, BlockingCollection<TreeGroup> groups)
    {
        TreeGroup? group = null;
        ulong hash = _share is null ? 0 : TreeShare.Begin(folder.Path);
        int bytes;
        while ((bytes = folder.Reader.Refill()) > 0)
        {
            while (folder.Reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
            {
                if (folder.IsExcluded(_options.Exclude, name))
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
                    due.Push((folder.Path.Below(name), folder.MayHaveEntries));
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
                    HandOver(group, groups);
                    group = null;
                }
            }
        }

        if (group is not null)
        {
            HandOver(group, groups);
        }

        if (bytes < 0)
        {
            _failures.Add(folder.FromText, PathErrors.Create(bytes, "Reading the folder", folder.FromText));
        }
    }

    /// <summary>Adds a group with a reference to its directory. The thread that copies the group releases the reference.</summary>
    private static void HandOver(TreeGroup group, BlockingCollection<TreeGroup> groups)
    {
        group.Folder.AddReference();
        groups.Add(group);
    }

    private void CopyGroups(BlockingCollection<TreeGroup> groups)
    {
        foreach (TreeGroup group in groups.GetConsumingEnumerable())
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
                // The enumeration observes the caller's token. Any other token belongs to the progress object and ends the copy like other
                // exceptions.
            }
#pragma warning disable CA1031 // It ends the copy on the calling thread.
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
