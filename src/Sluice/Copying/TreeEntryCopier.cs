using System.Runtime.Versioning;
using System.Text;
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
    private readonly List<(string From, string To, Statx Stat)> _shared = [];
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
            string from = Path.Join(group.Folder.FromPath, Encoding.UTF8.GetString(name.AsSpan(0, name.Length - 1)));
            try
            {
                CopyEntry(group.Folder, name, type, from);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException && !IsFatal(-e.HResult))
            {
                Fail(from, e);
            }
        }
    }

    /// <summary>Files with several names: the first is copied, the others are made names of the copy. After everything else, on one thread.</summary>
    public void CopySharedFiles()
    {
        Dictionary<(ulong, uint, uint), string> copies = [];
        foreach ((string from, string to, Statx stat) in _shared)
        {
            (ulong, uint, uint) node = (stat.Ino, stat.DevMajor, stat.DevMinor);
            cancellationToken.ThrowIfCancellationRequested();
            try
            {
                if (copies.TryGetValue(node, out string? first) && IsStill(from, stat))
                {
                    _nodes.AddName(first, to);
                    continue;
                }

                if ((stat.Mode & Statx.TypeMask) == Statx.TypeRegular)
                {
                    CopyAlone(from, to);
                }
                else
                {
                    _nodes.MakeNode(to, stat);
                }

                copies[node] = to;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException && !IsFatal(-e.HResult))
            {
                Fail(from, e);
            }
        }
    }

    /// <summary>A symbolic link, as one.</summary>
    public void CopyLink(string from, string to) => _nodes.CopyLink(from, to);

    /// <summary>Whether a name still leads to the file that it was seen to lead to: a number may have been given to another file since.</summary>
    private static bool IsStill(string path, in Statx seen) =>
        NodeCalls.Stat(PathCalls.ToKernel(path), followsLinks: false, StatxMask.BasicStats, out Statx now) == 0
        && now.Ino == seen.Ino && now.DevMajor == seen.DevMajor && now.DevMinor == seen.DevMinor
        && now.Ctime.Seconds == seen.Ctime.Seconds && now.Ctime.Nanoseconds == seen.Ctime.Nanoseconds;

    private void CopyEntry(TreeFolder folder, byte[] name, byte type, string from)
    {
        string to = Path.Join(folder.ToPath, Path.GetFileName(from));
        if (type == DirectoryReader.TypeLink)
        {
            CopyLink(from, to);
            return;
        }

        if (type != DirectoryReader.TypeFile)
        {
            CopyNode(folder, name, from, to);
            return;
        }

        int fromFd = PathCalls.OpenAt(folder.From.Descriptor, name, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking);
        PathErrors.ThrowIfFailed(fromFd, "Opening the source", from);
        try
        {
            PathErrors.ThrowIfFailed(Libc.Stat(fromFd, StatxMask.BasicStats, out Statx stat), "Looking at the source", from);
            if (options.KeepsMetadata && stat.NLink > 1)
            {
                AddShared(from, to, stat);
            }
            else if (isNewTree)
            {
                CopyNew(folder.ToFd, name, fromFd, stat, from, to);
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

    /// <summary>FIFOs, sockets and devices: made anew, as cp -r does; nothing is opened.</summary>
    private void CopyNode(TreeFolder folder, byte[] name, string from, string to)
    {
        PathErrors.ThrowIfFailed(folder.From.Stat(name, StatxMask.BasicStats, out Statx stat), "Looking at the source", from);
        if (options.KeepsMetadata && stat.NLink > 1)
        {
            AddShared(from, to, stat);
            return;
        }

        _nodes.MakeNode(to, stat);
    }

    private void AddShared(string from, string to, in Statx stat)
    {
        lock (_shared)
        {
            _shared.Add((from, to, stat));
        }
    }

    /// <summary>With all the care of a single copy: a temporary name, and whatever is at the target looked at.</summary>
    private void CopyAlone(string from, string to)
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
    private void CopyNew(int toFolderFd, byte[] name, int fromFd, in Statx stat, string from, string to)
    {
        const int make = PathCalls.ReadWrite | PathCalls.Create | PathCalls.Exclusive;
        long length = (long)stat.Size;
        meter.Find(length);

        // What the source lets its group read is not to be had by ours meanwhile.
        uint mode = options.KeepsMetadata ? OwnerReadWrite : stat.Mode & PlainPermissionBits;
        int toFd = PathCalls.OpenAt(toFolderFd, name, make, mode);
        if (toFd == -Errno.EEXIST && options.Resumes)
        {
            if (IsThere(fromFd, toFolderFd, name, stat, from, to))
            {
                FileCopier.CheckSource(fromFd, from, stat);
                meter.Add(length);
                meter.EndFile();
                Book(CopyMethod.Buffered, length, length);
                return;
            }

            _ = NodeCalls.Unlink(PathCalls.ToKernel(to));
            toFd = PathCalls.OpenAt(toFolderFd, name, make, mode);
        }

        PathErrors.ThrowIfFailed(toFd, $"Copying '{from}' to", to);
        try
        {
            CopyMethod method = CopyMethod.Buffered;
            if (length > SmallBytes || options.Method is not (CopyMethod.Auto or CopyMethod.Buffered))
            {
                FileTransfer transfer = new(fromFd, toFd, from, to, length, options, meter, cancellationToken);
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
                FileCopier.KeepMetadata(fromFd, stat, toFd, to);
            }

            if (options.Verifies)
            {
                PathErrors.ThrowIfFailed(Libc.Flush(toFd, dataOnly: true), "Writing to the disk", to);
                ContentComparer.Verify(from, to, toFd, to, cancellationToken);
            }

            meter.EndFile();
            Book(method, length, 0);
        }
        catch
        {
            // Half a file has no place in a tree that gets its name nevertheless.
            _ = NodeCalls.Unlink(PathCalls.ToKernel(to));
            throw;
        }
        finally
        {
            PathCalls.Close(toFd);
        }
    }

    private void CopySmall(int fromFd, int toFd, int length, string from, string to)
    {
        Span<byte> buffer = (t_buffer ??= new byte[SmallBytes]).AsSpan(0, length);
        int read = 0;
        while (read < length)
        {
            int bytes = LinuxTransfer.Read(fromFd, buffer[read..], read, RwFlags.None);
            PathErrors.ThrowIfFailed(bytes, "Reading the source", from);
            if (bytes == 0)
            {
                throw new IOException($"Copying '{from}' to '{to}' failed: the source became shorter meanwhile.");
            }

            read += bytes;
        }

        for (int done = 0; done < length;)
        {
            int written = LinuxTransfer.Write(toFd, buffer[done..], done, RwFlags.None);
            PathErrors.ThrowIfFailed(written, $"Copying '{from}' to", to);
            done += written;
        }

        meter.Add(length);
    }

    /// <summary>
    /// Whether an earlier copy left this file, the same to the last byte; with the source's metadata now, which that copy may not have
    /// come to.
    /// </summary>
    private bool IsThere(int fromFd, int toFolderFd, byte[] name, in Statx stat, string from, string to)
    {
        int fd = PathCalls.OpenAt(toFolderFd, name, PathCalls.ReadOnly | PathCalls.NoFollowFlag | PathCalls.NonBlocking);
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
                FileCopier.KeepMetadata(fromFd, stat, fd, to);
            }

            if (isThere && options.Verifies)
            {
                PathErrors.ThrowIfFailed(Libc.Flush(fd, dataOnly: true), "Writing to the disk", to);
                ContentComparer.Verify(from, to, fd, to, cancellationToken);
            }

            return isThere;
        }
        finally
        {
            PathCalls.Close(fd);
        }
    }

    private void Book(CopyMethod method, long bytes, long resumed)
    {
        Interlocked.Add(ref _bytesByMethod[(int)method], Math.Max(bytes, 1));
        Interlocked.Add(ref _resumedBytes, resumed);
    }
}
