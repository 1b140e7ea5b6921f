using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Copies what is in the folders of a tree: small files by a read and a write, the others as alone. Thread-safe.</summary>
[SupportedOSPlatform("linux")]
internal sealed class TreeEntryCopier(CopyOptions options, CopyMeter meter, bool isNewTree, CancellationToken cancellationToken)
{
#if DEBUG
    private const int SmallBytes = 8 * 1024;
#else
    private const int SmallBytes = 256 * 1024;
#endif

    private const uint PlainPermissionBits = 0x1FF;
    private const uint OwnerReadWrite = 0x180;

    [ThreadStatic]
    private static byte[]? t_buffer;

    private readonly NodeCopier _nodes = new(options, meter, isNewTree);
    private readonly List<FileFailure> _failures = [];
    private readonly List<SharedNode> _shared = [];
    private readonly long[] _bytesByMethod = new long[Enum.GetValues<CopyMethod>().Length];
    private long _resumedBytes;

    /// <summary>Errors that every further file would meet too.</summary>
    public static bool IsFatal(int result) => result is -Errno.ENOSPC or -Errno.EDQUOT or -Errno.EROFS;

    public void Fail(string path, Exception error)
    {
        lock (_failures)
        {
            _failures.Add(new FileFailure(path, error));
        }
    }

    public CopyResult Result()
    {
        long[] bytes = _bytesByMethod;
        CopyMethod most = (CopyMethod)Array.IndexOf(bytes, bytes.Max());
        return new CopyResult
        {
            Bytes = meter.Bytes,
            ResumedBytes = _resumedBytes,
            Files = meter.Files,
            Method = most == CopyMethod.Auto ? CopyMethod.Buffered : most,
            MethodReason = "each file by what is cheapest for it",
            Depth = most == CopyMethod.Direct ? options.Depth : 0,
            Failures = _failures,
        };
    }

    /// <summary>Copies a group; throws only for what ends the whole copy.</summary>
    public void Copy(TreeGroup group)
    {
        foreach ((byte[] name, byte type) in group.Entries)
        {
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                CopyEntry(group.Folder, name, type);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException && !IsFatal(-e.HResult))
            {
                Fail(group.Folder.From(name).Text, e);
            }
        }
    }

    /// <summary>
    /// What has several names: the first is copied, the others are made names of the copy. After everything else, on one thread; the
    /// folders of both trees are opened anew.
    /// </summary>
    public void CopySharedFiles(TreeRoot fromRoot, TreeRoot toRoot)
    {
        Dictionary<(ulong, uint, uint), SharedNode> copies = [];
        foreach (SharedNode node in _shared)
        {
            cancellationToken.ThrowIfCancellationRequested();
            string text = Path.Join(fromRoot.Text(node.Folder), NodePath.Decode(node.Name.AsSpan(0, node.Name.Length - 1)));
            int fromFd = fromRoot.Open(node.Folder);
            int toFd = toRoot.Open(node.Folder);
            try
            {
                PathErrors.ThrowIfFailed(Math.Min(fromFd, toFd), "Opening the folder of", text);
                NodePath from = NodePath.In(fromFd, node.Name, fromRoot.Text(node.Folder));
                NodePath to = NodePath.In(toFd, node.Name, toRoot.Text(node.Folder));
                (ulong, uint, uint) number = (node.Stat.Ino, node.Stat.DevMajor, node.Stat.DevMinor);
                if (copies.TryGetValue(number, out SharedNode first) && IsStill(from, node.Stat))
                {
                    AddName(toRoot, first, to);
                    continue;
                }

                CopyFirst(from, to, node.Stat);
                copies[number] = node;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException && !IsFatal(-e.HResult))
            {
                Fail(text, e);
            }
            finally
            {
                CloseIfOpen(fromFd);
                CloseIfOpen(toFd);
            }
        }
    }

    /// <summary>A symbolic link, as one.</summary>
    public void CopyLink(in NodePath from, in NodePath to) => _nodes.CopyLink(from, to);

    private static void CloseIfOpen(int fd)
    {
        if (fd >= 0)
        {
            PathCalls.Close(fd);
        }
    }

    private void AddName(TreeRoot toRoot, in SharedNode first, in NodePath to)
    {
        int fd = toRoot.Open(first.Folder);
        PathErrors.ThrowIfFailed(fd, "Opening the folder", toRoot.Text(first.Folder));
        try
        {
            _nodes.AddName(NodePath.In(fd, first.Name, toRoot.Text(first.Folder)), to);
        }
        finally
        {
            PathCalls.Close(fd);
        }
    }

    private void CopyFirst(in NodePath from, in NodePath to, in Statx stat)
    {
        switch (stat.Mode & Statx.TypeMask)
        {
            case Statx.TypeRegular:
                CopyAlone(from, to);
                break;
            case Statx.TypeLink:
                CopyLink(from, to);
                break;
            default:
                _nodes.MakeNode(from, to, stat);
                break;
        }
    }

    /// <summary>Whether a name still leads to the file that it was seen to lead to: a number may have been given to another file since.</summary>
    private static bool IsStill(in NodePath path, in Statx seen) =>
        NodeCalls.Stat(path, followsLinks: false, StatxMask.BasicStats, out Statx now) == 0
        && now.Ino == seen.Ino && now.DevMajor == seen.DevMajor && now.DevMinor == seen.DevMinor
        && now.Ctime.Seconds == seen.Ctime.Seconds && now.Ctime.Nanoseconds == seen.Ctime.Nanoseconds;

    private void CopyEntry(TreeFolder folder, byte[] name, byte type)
    {
        (NodePath from, NodePath to) = (folder.From(name), folder.To(name));
        if (type != DirectoryReader.TypeFile)
        {
            CopyNode(folder, type, from, to);
            return;
        }

        int fromFd = PathCalls.Open(from, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking);
        if (fromFd < 0)
        {
            throw PathErrors.Create(fromFd, "Opening the source", from.Text);
        }

        try
        {
            int result = Libc.Stat(fromFd, StatxMask.BasicStats, out Statx stat);
            if (result < 0)
            {
                throw PathErrors.Create(result, "Looking at the source", from.Text);
            }

            if (options.KeepsMetadata && stat.NLink > 1)
            {
                AddShared(folder, name, stat);
            }
            else if (isNewTree)
            {
                CopyNew(fromFd, stat, from, to);
            }
            else
            {
                CopyAlone(from, to);
            }
        }
        finally
        {
            PathCalls.Close(fromFd);
        }
    }

    /// <summary>Links; and FIFOs, sockets and devices, which are made anew, as cp -r does; nothing is opened.</summary>
    private void CopyNode(TreeFolder folder, byte type, in NodePath from, in NodePath to)
    {
        if (type == DirectoryReader.TypeLink && !options.KeepsMetadata)
        {
            CopyLink(from, to);
            return;
        }

        int result = NodeCalls.Stat(from, followsLinks: false, StatxMask.BasicStats, out Statx stat);
        if (result < 0)
        {
            throw PathErrors.Create(result, "Looking at the source", from.Text);
        }

        if (options.KeepsMetadata && stat.NLink > 1)
        {
            AddShared(folder, from.Name, stat);
        }
        else if (type == DirectoryReader.TypeLink)
        {
            CopyLink(from, to);
        }
        else
        {
            _nodes.MakeNode(from, to, stat);
        }
    }

    private void AddShared(TreeFolder folder, byte[] name, in Statx stat)
    {
        lock (_shared)
        {
            _shared.Add(new SharedNode(folder.Relative, name, stat));
        }
    }

    /// <summary>With all the care of a single copy: a temporary name, and whatever is at the target looked at.</summary>
    private void CopyAlone(in NodePath from, in NodePath to)
    {
        CopyOptions one = new()
        {
            Method = options.Method,
            Depth = options.Depth,
            Overwrites = options.Overwrites || isNewTree,
            KeepsMetadata = options.KeepsMetadata,
            Resumes = options.Resumes,
            Verifies = options.Verifies,
        };
        CopyResult result = new FileCopier(one, meter, cancellationToken) { FollowsLinks = false }.Copy(from, to);
        Book(result.Method, result.Bytes, result.ResumedBytes);
    }

    /// <summary>Into a tree that nobody sees yet: under its own name at once.</summary>
    private void CopyNew(int fromFd, in Statx stat, in NodePath from, in NodePath to)
    {
        const int make = PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive;
        long length = (long)stat.Size;
        meter.Find(length);

        // What the source lets its group read is not to be had by ours meanwhile.
        uint mode = options.KeepsMetadata ? OwnerReadWrite : stat.Mode & PlainPermissionBits;
        int toFd = PathCalls.Open(to, make, mode);
        if (toFd == -Errno.EEXIST && options.Resumes)
        {
            if (IsThere(fromFd, stat, from, to))
            {
                FileCopier.CheckSource(fromFd, from, stat);
                meter.Add(length);
                meter.EndFile();
                Book(CopyMethod.Buffered, length, length);
                return;
            }

            _ = NodeCalls.Unlink(to);
            toFd = PathCalls.Open(to, make, mode);
        }

        ThrowIfNotWritten(toFd, from, to);
        try
        {
            CopyMethod method = CopyMethod.Buffered;
            if (length > SmallBytes || options.Method is not (CopyMethod.Auto or CopyMethod.Buffered))
            {
                FileTransfer transfer = new(fromFd, toFd, from.Text, to.Text, length, options, meter, cancellationToken);
                transfer.Run(0);
                method = transfer.Method;
            }
            else
            {
                CopySmall(fromFd, toFd, (int)length, from, to);
            }

            FileCopier.CheckSource(fromFd, from, stat);
            if (options.KeepsMetadata)
            {
                FileCopier.KeepMetadata(fromFd, stat, toFd, to.Text);
            }

            if (options.Verifies)
            {
                PathErrors.ThrowIfFailed(Libc.Flush(toFd, dataOnly: true), "Writing to the disk", to.Text);
                ContentComparer.Verify(fromFd, from.Text, toFd, to.Text, cancellationToken);
            }

            meter.EndFile();
            Book(method, length, 0);
        }
        catch
        {
            // Half a file has no place in a tree that gets its name nevertheless.
            _ = NodeCalls.Unlink(to);
            throw;
        }
        finally
        {
            PathCalls.Close(toFd);
        }
    }

    private void CopySmall(int fromFd, int toFd, int length, in NodePath from, in NodePath to)
    {
        Span<byte> buffer = (t_buffer ??= new byte[SmallBytes]).AsSpan(0, length);
        int read = 0;
        while (read < length)
        {
            int bytes = LinuxTransfer.Read(fromFd, buffer[read..], read, RwFlags.None);
            if (bytes <= 0)
            {
                throw bytes == 0
                    ? new IOException($"Copying '{from.Text}' to '{to.Text}' failed: the source became shorter meanwhile.")
                    : PathErrors.Create(bytes, "Reading the source", from.Text);
            }

            read += bytes;
        }

        for (int done = 0; done < length;)
        {
            int written = LinuxTransfer.Write(toFd, buffer[done..], done, RwFlags.None);
            ThrowIfNotWritten(written, from, to);
            done += written;
        }

        meter.Add(length);
    }

    /// <summary>
    /// Whether an earlier copy left this file, the same to the last byte; with the source's metadata now, which that copy may not have
    /// come to.
    /// </summary>
    private bool IsThere(int fromFd, in Statx stat, in NodePath from, in NodePath to)
    {
        int fd = PathCalls.Open(to, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking);
        if (fd < 0)
        {
            return false;
        }

        try
        {
            bool isThere = Libc.Stat(fd, StatxMask.BasicStats, out Statx there) == 0
                && (there.Mode & Statx.TypeMask) == Statx.TypeRegular
                && there.Size == stat.Size
                && there.NLink == 1
                && ContentComparer.FirstDifference(fromFd, fd, (long)stat.Size, cancellationToken) == (long)stat.Size;
            if (isThere && options.KeepsMetadata)
            {
                FileCopier.KeepMetadata(fromFd, stat, fd, to.Text);
            }

            if (isThere && options.Verifies)
            {
                PathErrors.ThrowIfFailed(Libc.Flush(fd, dataOnly: true), "Writing to the disk", to.Text);
                ContentComparer.Verify(fromFd, from.Text, fd, to.Text, cancellationToken);
            }

            return isThere;
        }
        finally
        {
            PathCalls.Close(fd);
        }
    }

    private static void ThrowIfNotWritten(int result, in NodePath from, in NodePath to)
    {
        if (result < 0)
        {
            throw PathErrors.Create(result, $"Copying '{from.Text}' to", to.Text);
        }
    }

    private void Book(CopyMethod method, long bytes, long resumed)
    {
        Interlocked.Add(ref _bytesByMethod[(int)method], Math.Max(bytes, 1));
        Interlocked.Add(ref _resumedBytes, resumed);
    }
}
