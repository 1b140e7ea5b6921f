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
    private readonly List<(string ToPath, string FromPath, Statx From, bool IsMade)> _folders = [];
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
        PathErrors.ThrowIfFailed(
            NodeCalls.Stat(PathCalls.ToKernel(source), followsLinks: false, StatxMask.BasicStats, out Statx from), "Looking at the source", source);
        int found = NodeCalls.Stat(PathCalls.ToKernel(target), followsLinks: false, StatxMask.BasicStats, out Statx old);
        bool isNew = found == -Errno.ENOENT;
        TreeCopier copier = new(options, meter, isNew, cancellationToken);
        if ((from.Mode & Statx.TypeMask) != Statx.TypeDirectory)
        {
            copier._entries.CopyLink(source, target);
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
        if (!isNew)
        {
            copier.Run(source, target);
            return copier.Result();
        }

        using TemporaryFolder temporary = TemporaryFolder.Create(target, options.KeepsMetadata ? 0 : from.Mode & PermissionBits, options.Resumes);
        copier.Run(source, temporary.Path);
        temporary.RenameTo(target);
        if (options.FlushesToDisk)
        {
            FileCopier.FlushFolder(Path.GetDirectoryName(target) ?? "/");
        }

        return copier.Result();
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

    private void Run(string source, string target)
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
        _entries.CopySharedFiles();
        FinishFolders();
        if (_options.FlushesToDisk)
        {
            FlushFileSystem(target);
        }
    }

    private void Walk(string source, string target, BlockingCollection<TreeGroup> groups)
    {
        Stack<(string From, string To)> due = new();
        due.Push((source, target));
        while (!_stop.IsCancellationRequested && due.TryPop(out (string From, string To) next))
        {
            if (OpenFolder(next.From, next.To) is not { } folder)
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

    private TreeFolder? OpenFolder(string from, string to)
    {
        DirectoryReader? reader = DirectoryReader.TryOpen(from, out int errno);
        if (reader is null)
        {
            _entries.Fail(from, PathErrors.Create(errno, "Opening the folder", from));
            return null;
        }

        int result = Libc.Stat(reader.Descriptor, StatxMask.BasicStats, out Statx stat);
        byte[] kernelTo = PathCalls.ToKernel(to);
        bool isMade = result == 0;
        if (result == 0)
        {
            // Where metadata is kept, others than the owner come in when the folder is whole and has its owner.
            result = NodeCalls.MakeDirectory(kernelTo, _options.KeepsMetadata ? OwnerAll : (stat.Mode & PermissionBits) | OwnerAll);
            isMade = result == 0;
            result = result == -Errno.EEXIST ? 0 : result;
        }

        int toFd = result < 0 ? result : PathCalls.Open(kernelTo, PathCalls.ReadOnly | PathCalls.DirectoryFlag | PathCalls.NoFollowFlag);
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

        _folders.Add((to, from, stat, isMade || _isNew));
        return new TreeFolder(reader, toFd, from, to);
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

            StaleEntries.Remove(from, to);
        }
        catch
        {
            from.Release();
            PathCalls.Close(toFd);
            throw;
        }
    }

    private void ReadFolder(TreeFolder folder, Stack<(string From, string To)> due, BlockingCollection<TreeGroup> groups)
    {
        TreeGroup? group = null;
        int bytes;
        while ((bytes = folder.From.Refill()) > 0)
        {
            while (folder.From.TryNext(out ReadOnlySpan<byte> name, out byte type))
            {
                byte[] kept = [.. name, 0];
                if (type == DirectoryReader.TypeUnknown && folder.From.Stat(kept, StatxMask.Type, out Statx stat) == 0)
                {
                    type = (byte)((stat.Mode & Statx.TypeMask) >> 12);
                }

                if (type == DirectoryReader.TypeDirectory)
                {
                    string text = System.Text.Encoding.UTF8.GetString(name);
                    due.Push((Path.Join(folder.FromPath, text), Path.Join(folder.ToPath, text)));
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
            _entries.Fail(folder.FromPath, PathErrors.Create(bytes, "Reading the folder", folder.FromPath));
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
    private void FinishFolders()
    {
        for (int i = _folders.Count - 1; i >= 0; i--)
        {
            (string toPath, string fromPath, Statx from, bool isMade) = _folders[i];
            bool isRestricted = isMade && (from.Mode & OwnerAll) != OwnerAll;
            if (!_options.KeepsMetadata && !isRestricted)
            {
                continue;
            }

            int flags = PathCalls.ReadOnly | PathCalls.DirectoryFlag | PathCalls.NoFollowFlag;
            int toFd = PathCalls.Open(PathCalls.ToKernel(toPath), flags);
            int fromFd = PathCalls.Open(PathCalls.ToKernel(fromPath), flags);
            try
            {
                PathErrors.ThrowIfFailed(Math.Min(toFd, fromFd), "Opening the folder", toPath);
                if (_options.KeepsMetadata)
                {
                    FileCopier.KeepMetadata(fromFd, from, toFd, toPath);
                }
                else if (Libc.Stat(toFd, StatxMask.BasicStats, out Statx made) == 0)
                {
                    _ = NodeCalls.SetMode(toFd, made.Mode & PermissionBits & ~(OwnerAll & ~(uint)from.Mode));
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                _entries.Fail(fromPath, e);
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

    private static void FlushFileSystem(string folder)
    {
        int fd = PathCalls.Open(PathCalls.ToKernel(folder), PathCalls.ReadOnly | PathCalls.DirectoryFlag);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", folder);
        int result = CopyCalls.FlushFileSystem(fd);
        PathCalls.Close(fd);
        PathErrors.ThrowIfFailed(result, "Writing to the disk", folder);
    }
}
