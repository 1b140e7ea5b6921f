using System.Collections.Concurrent;
using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies a tree. One thread walks the folders and makes their copies, others copy groups of entries; what has several names, and
/// the folders' own metadata, come last. A tree that is new is made under a temporary name as a whole, so that its files need none;
/// in one that is there already each file is copied as alone.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeCopier
{
    private const int MostWaitingGroups = 64;
    private const uint OwnerAll = 0x1C0;
    private const uint PermissionBits = 0xFFF;

    private readonly CopyOptions _options;
    private readonly CopyMeter _meter;
    private readonly CancellationTokenSource _stop;
    private readonly TreeEntryCopier _entries;
    private readonly bool _isNew;
    private readonly List<(byte[] Relative, Statx From, bool IsMade)> _folders = [];
    private Exception? _fatal;

    private TreeCopier(CopyOptions options, CopyMeter meter, bool isNew, CancellationToken cancellationToken)
    {
        _options = options;
        _meter = meter;
        _stop = CancellationTokenSource.CreateLinkedTokenSource(cancellationToken);
        _isNew = isNew;
        _entries = new TreeEntryCopier(options, meter, isNew, _stop.Token);
    }

    public static CopyResult Copy(
        string source, string target, CopyOptions options, CopyMeter meter, CancellationToken cancellationToken)
    {
        (NodePath fromPath, NodePath toPath) = (NodePath.Of(source), NodePath.Of(target));
        PathErrors.ThrowIfFailed(
            NodeCalls.Stat(fromPath, followsLinks: false, StatxMask.BasicStats, out Statx from), "Looking at the source", source);
        int found = NodeCalls.Stat(toPath, followsLinks: false, StatxMask.BasicStats, out Statx old);
        bool isNew = found == -Errno.ENOENT;
        TreeCopier copier = new(options, meter, isNew, cancellationToken);
        if ((from.Mode & Statx.TypeMask) != Statx.TypeDirectory)
        {
            copier._entries.CopyLink(fromPath, toPath);
            if (options.FlushesToDisk)
            {
                FileCopier.FlushFolder(Path.GetDirectoryName(target) ?? "/");
            }

            return copier.Result();
        }

        if (!isNew)
        {
            PathErrors.ThrowIfFailed(found, "Looking at the target", target);
            if (old.Ino == from.Ino && old.DevMajor == from.DevMajor && old.DevMinor == from.DevMinor)
            {
                throw new IOException($"'{source}' and '{target}' are the same folder.");
            }

            if ((old.Mode & Statx.TypeMask) != Statx.TypeDirectory)
            {
                throw new IOException($"Copying '{source}' to '{target}' failed: the target is no folder.");
            }
        }

        ThrowIfInside(source, from, target);
        using TreeRoot fromRoot = OpenRoot(source, source, "Opening the folder");
        if (!isNew)
        {
            using TreeRoot toRoot = OpenRoot(target, target, "Opening the target");
            copier.Run(fromRoot, toRoot);
            return copier.Result();
        }

        uint mode = options.KeepsMetadata ? 0 : from.Mode & PermissionBits;
        using TemporaryFolder temporary = TemporaryFolder.Create(toPath, mode, options.Resumes);
        using (TreeRoot toRoot = OpenRoot($"/proc/self/fd/{temporary.Descriptor}/.", temporary.Path, "Opening the temporary folder"))
        {
            copier.Run(fromRoot, toRoot);
        }

        temporary.RenameTo(toPath);
        if (options.FlushesToDisk)
        {
            FileCopier.FlushFolder(Path.GetDirectoryName(target) ?? "/");
        }

        return copier.Result();
    }

    private static TreeRoot OpenRoot(string path, string text, string verb)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(path), TreeRoot.FolderFlags);
        PathErrors.ThrowIfFailed(fd, verb, text);
        return new TreeRoot(fd, text);
    }

    /// <summary>A copy into itself would never end. Compared by inode: names may lead there by links.</summary>
    private static void ThrowIfInside(string source, in Statx from, string target)
    {
        for (string? folder = Path.GetDirectoryName(target); !string.IsNullOrEmpty(folder); folder = Path.GetDirectoryName(folder))
        {
            if (NodeCalls.Stat(PathCalls.ToKernel(folder), followsLinks: true, StatxMask.BasicStats, out Statx above) == 0
                && above.Ino == from.Ino && above.DevMajor == from.DevMajor && above.DevMinor == from.DevMinor)
            {
                throw new IOException($"Copying '{source}' failed: the target '{target}' is inside it.");
            }
        }
    }

    private CopyResult Result() => _entries.Result() with { Folders = _folders.Count };

    private void Run(TreeRoot source, TreeRoot target)
    {
        using BlockingCollection<TreeGroup> groups = new(MostWaitingGroups);
        Task[] workers = new Task[Math.Max(2, Environment.ProcessorCount)];
        for (int i = 0; i < workers.Length; i++)
        {
            workers[i] = Task.Factory.StartNew(
                () => CopyGroups(groups), CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        try
        {
            Walk(source, target, groups);
        }
        finally
        {
            groups.CompleteAdding();
            Task.WaitAll(workers, CancellationToken.None);
        }

        if (_fatal is not null)
        {
            System.Runtime.ExceptionServices.ExceptionDispatchInfo.Throw(_fatal);
        }

        _stop.Token.ThrowIfCancellationRequested();
        _entries.CopySharedFiles(source, target);
        FinishFolders(source, target);
        if (_options.FlushesToDisk)
        {
            FlushFileSystem(target);
        }
    }

    private void Walk(TreeRoot source, TreeRoot target, BlockingCollection<TreeGroup> groups)
    {
        Stack<byte[]> due = new();
        due.Push([]);
        while (!_stop.IsCancellationRequested && due.TryPop(out byte[]? next))
        {
            if (OpenFolder(source, target, next) is not { } folder)
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

    private TreeFolder? OpenFolder(TreeRoot source, TreeRoot target, byte[] relative)
    {
        string from = source.Text(relative);
        int fromFd = source.Open(relative);
        if (fromFd < 0)
        {
            _entries.Fail(from, PathErrors.Create(fromFd, "Opening the folder", from));
            return null;
        }

        DirectoryReader reader = DirectoryReader.Of(fromFd);
        int result = Libc.Stat(fromFd, StatxMask.BasicStats, out Statx stat);
        bool isMade = false;
        int toFd = result < 0 ? result : MakeFolder(target, relative, stat, out isMade);
        string to = target.Text(relative);
        if (toFd < 0)
        {
            reader.Release();
            Exception error = PathErrors.Create(toFd, "Making the folder", to);
            if (TreeEntryCopier.IsFatal(toFd))
            {
                throw error;
            }

            _entries.Fail(from, error);
            return null;
        }

        if (!isMade && _isNew)
        {
            GoOnIn(reader, toFd, to);
        }

        _folders.Add((relative, stat, isMade || _isNew));
        return new TreeFolder(relative, reader, toFd, from, to);
    }

    /// <summary>Makes a folder of the copy, unless it is there, and opens it; a negative errno where that fails.</summary>
    private int MakeFolder(TreeRoot target, byte[] relative, in Statx from, out bool isMade)
    {
        isMade = false;
        if (relative.Length == 0)
        {
            return target.Open(relative);
        }

        int parent = target.OpenParent(relative, out byte[] name);
        if (parent < 0)
        {
            return parent;
        }

        // Where metadata is kept, others than the owner come in when the folder is whole and has its owner.
        NodePath path = NodePath.In(parent, name, "");
        int result = NodeCalls.MakeDirectory(path, _options.KeepsMetadata ? OwnerAll : (from.Mode & PermissionBits) | OwnerAll);
        isMade = result == 0;
        result = result is 0 or -Errno.EEXIST ? PathCalls.Open(path, TreeRoot.FolderFlags) : result;
        PathCalls.Close(parent);
        return result;
    }

    /// <summary>Makes a folder of an earlier copy ready to go on in; closes both folders if that fails.</summary>
    private void GoOnIn(DirectoryReader from, int toFd, string to)
    {
        try
        {
            if (_options.KeepsMetadata)
            {
                // That copy may have come to the folder's own mode, which may keep us out.
                PathErrors.ThrowIfFailed(NodeCalls.SetMode(toFd, OwnerAll), "Setting the permissions of", to);
            }

            StaleEntries.Remove(from, toFd, to);
        }
        catch
        {
            from.Release();
            PathCalls.Close(toFd);
            throw;
        }
    }

    private void ReadFolder(TreeFolder folder, Stack<byte[]> due, BlockingCollection<TreeGroup> groups)
    {
        TreeGroup? group = null;
        int bytes;
        while ((bytes = folder.Reader.Refill()) > 0)
        {
            while (folder.Reader.TryNext(out ReadOnlySpan<byte> name, out byte type))
            {
                byte[] kept = [.. name, 0];
                if (type == DirectoryReader.TypeUnknown && folder.Reader.Stat(kept, StatxMask.Type, out Statx stat) == 0)
                {
                    type = (byte)((stat.Mode & Statx.TypeMask) >> 12);
                }

                if (type == DirectoryReader.TypeDirectory)
                {
                    due.Push(TreeRoot.Join(folder.Relative, name));
                    continue;
                }

                group ??= NewGroup(folder);
                group.Entries.Add((kept, type));
                if (group.Entries.Count == TreeGroup.MostEntries)
                {
                    groups.Add(group);
                    group = null;
                }
            }
        }

        if (group is not null)
        {
            groups.Add(group);
        }

        if (bytes < 0)
        {
            _entries.Fail(folder.FromText, PathErrors.Create(bytes, "Reading the folder", folder.FromText));
        }
    }

    private static TreeGroup NewGroup(TreeFolder folder)
    {
        folder.AddReference();
        return new TreeGroup(folder);
    }

    private void CopyGroups(BlockingCollection<TreeGroup> groups)
    {
        foreach (TreeGroup group in groups.GetConsumingEnumerable(CancellationToken.None))
        {
            try
            {
                if (!_stop.IsCancellationRequested)
                {
                    _entries.Copy(group);
                }
            }
            catch (OperationCanceledException)
            {
                // The walk sees the same token.
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

    /// <summary>From the inside out: a folder's times change with what is made in it.</summary>
    private void FinishFolders(TreeRoot source, TreeRoot target)
    {
        for (int i = _folders.Count - 1; i >= 0; i--)
        {
            (byte[] relative, Statx from, bool isMade) = _folders[i];
            bool isRestricted = isMade && (from.Mode & OwnerAll) != OwnerAll;
            if (!_options.KeepsMetadata && !isRestricted)
            {
                continue;
            }

            int toFd = target.Open(relative);
            int fromFd = source.Open(relative);
            try
            {
                PathErrors.ThrowIfFailed(toFd, "Opening the folder", target.Text(relative));
                PathErrors.ThrowIfFailed(fromFd, "Opening the folder", source.Text(relative));
                if (_options.KeepsMetadata)
                {
                    FileCopier.KeepMetadata(fromFd, from, toFd, target.Text(relative));
                }
                else if (Libc.Stat(toFd, StatxMask.BasicStats, out Statx made) == 0)
                {
                    _ = NodeCalls.SetMode(toFd, made.Mode & PermissionBits & ~(OwnerAll & ~(uint)from.Mode));
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _entries.Fail(source.Text(relative), e);
            }
            finally
            {
                if (toFd >= 0)
                {
                    PathCalls.Close(toFd);
                }

                if (fromFd >= 0)
                {
                    PathCalls.Close(fromFd);
                }
            }
        }
    }

    private static void FlushFileSystem(TreeRoot target)
    {
        int fd = target.Open([]);
        int result = fd < 0 ? fd : CopyCalls.FlushFileSystem(fd);
        if (fd >= 0)
        {
            PathCalls.Close(fd);
        }

        PathErrors.ThrowIfFailed(result, "Writing to the disk", target.Text([]));
    }
}
