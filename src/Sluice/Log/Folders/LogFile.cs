using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Log.Folders;

/// <summary>
/// Opens, locks, writes and flushes the files of a log's folder. Another user who can write to the folder may place other files under these
/// names. Therefore, symbolic links are not followed, and opening a FIFO does not block.
/// </summary>
internal static class LogFile
{
    /// <summary>The maximum number of pages in one block of the kernel's page cache (MAX_XAS_ORDER).</summary>
    private const long MaxBlockPages = 2048;

    /// <summary>The Unix time of the last second that a <see cref="DateTime"/> can represent.</summary>
    private const long LastSecond = 253_402_300_799;

    /// <summary>Opens a file for reading. Other processes can write to it and remove it meanwhile.</summary>
    public static SluiceHandle OpenToRead(string path) => Open(path, FileMode.Open, FileAccess.Read);

    /// <param name="path">The file.</param>
    /// <param name="mode">Open, OpenOrCreate or CreateNew.</param>
    /// <param name="access">Read or ReadWrite.</param>
    /// <param name="settings">The options with the engine and the permissions; null for the defaults of a handle.</param>
    /// <param name="permissions">The permissions of a new file; null for those of the options.</param>
    /// <param name="node">The file relative to an open folder, on Linux; null to use the path.</param>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="IOException">The file is not a regular file, or the operating system reported an error.</exception>
    public static SluiceHandle Open(
        string path, FileMode mode, FileAccess access, SluiceLogOptions? settings = null, UnixFileMode? permissions = null, NodePath? node = null)
    {
        permissions ??= settings?.UnixCreateMode;
        if (!Libc.IsSupported)
        {
            return SluiceHandle.Open(path, new SluiceOptions
            {
                Mode = mode,
                Access = access,
                Share = FileShare.ReadWrite | FileShare.Delete,
                Engine = settings?.Engine,
                UnixCreateMode = mode == FileMode.Open ? null : permissions,
            });
        }

        int flags = PathCalls.NoFollowFlag
            | (access == FileAccess.Read ? PathCalls.ReadOnly : PathCalls.ReadWrite)
            | mode switch
            {
                FileMode.CreateNew => PathCalls.Create | PathCalls.Exclusive,
                FileMode.OpenOrCreate => PathCalls.Create,
                _ => 0,
            };
        return PlainFile.Open(node ?? NodePath.Of(path), path, flags, (uint?)permissions ?? ModeBits.NewFile, settings?.Engine);
    }

    /// <summary>
    /// Locks a file exclusively, or together with other shared locks, until it is unlocked or closed. Does not wait. Returns zero or a
    /// negative errno. Linux only.
    /// </summary>
    public static int LockNow(SluiceHandle file, bool alone)
    {
        using OpenFile.Reference reference = file.TakeReference();
        return NodeCalls.LockFileNow(file.Descriptor, forWriting: alone);
    }

    /// <summary>
    /// Locks a file exclusively. If others hold only shared locks, returns zero without a lock, because every user who can read the file
    /// can hold one. Returns a negative errno if another writer holds an exclusive lock.
    /// </summary>
    public static int LockBesideReaders(SluiceHandle file)
    {
        using OpenFile.Reference reference = file.TakeReference();
        int result = NodeCalls.LockFileNow(file.Descriptor, forWriting: true);
        return result is -Errno.EAGAIN or -Errno.EACCES && !NodeCalls.IsLockedForWriting(file.Descriptor) ? 0 : result;
    }

    /// <summary>
    /// Releases the lock of a file. Called before the file is closed: while a child process that is being started has a copy of the
    /// descriptor, closing does not release the lock. Does nothing if the file is closed.
    /// </summary>
    public static void Unlock(SluiceHandle file)
    {
        if (Libc.IsSupported && !file.IsClosed)
        {
            using OpenFile.Reference reference = file.TakeReference();
            // The result is ignored, because closing the file usually releases the lock as well.
            _ = NodeCalls.UnlockFile(file.Descriptor);
        }
    }

    /// <summary>
    /// Writes to a file. EFBIG is reported as an <see cref="IOException"/>: the <see cref="ArgumentOutOfRangeException"/> of .NET would
    /// look like an error in the arguments of the log's caller.
    /// </summary>
    /// <exception cref="IOException">The bytes could not be written.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to write to the file.</exception>
    public static void Write(SluiceHandle file, ReadOnlySpan<byte> bytes, long offset)
    {
        try
        {
            file.Write(bytes, offset);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw TooLarge(e);
        }
    }

    /// <summary>Sets the length of a file. EFBIG is reported as in <see cref="Write"/>.</summary>
    /// <exception cref="IOException">The length could not be set.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to change the file.</exception>
    public static void SetLength(SluiceHandle file, long length)
    {
        try
        {
            file.SetLength(length);
        }
        catch (ArgumentOutOfRangeException e)
        {
            throw TooLarge(e);
        }
    }

    /// <summary>Sets the length of a file that is not written any more. Errors are ignored.</summary>
    public static void TrySetLength(SluiceHandle file, long length)
    {
        try
        {
            file.SetLength(length);
        }
        catch
        {
            // Any exception is ignored: the device may have failed.
        }
    }

    /// <summary>Releases the lock of a file, if there is one, and closes the file. Does nothing for null.</summary>
    /// <exception cref="IOException">close(2) reported an error; the file is closed.</exception>
    public static void Close(SluiceHandle? file)
    {
        if (file is not null)
        {
            Unlock(file);
            file.Dispose();
        }
    }

    /// <summary>
    /// Closes a file and ignores an error of close(2). For files that were only read, and for cleanup after another error.
    /// </summary>
    public static void TryClose(SluiceHandle? file)
    {
        try
        {
            Close(file);
        }
        catch (IOException)
        {
        }
    }

    /// <summary>Closes all files, and then throws the first error.</summary>
    /// <exception cref="IOException">close(2) reported an error.</exception>
    public static void CloseAll<T>(IEnumerable<T> files, Action<T> close)
    {
        IOException? error = null;
        foreach (T file in files)
        {
            try
            {
                close(file);
            }
            catch (IOException e)
            {
                error ??= e;
            }
        }

        if (error is not null)
        {
            throw error;
        }
    }

    /// <summary>Determines whether a name refers to this file. Returns zero, or a negative errno if that cannot be determined.</summary>
    public static int LookForName(SluiceHandle file, in NodePath name, out bool has)
    {
        has = false;
        using OpenFile.Reference reference = file.TakeReference();
        int result = Libc.Stat(file.Descriptor, StatxMask.BasicStats, out Statx own);
        if (result == 0)
        {
            result = NodeCalls.Stat(name, followsLinks: false, StatxMask.BasicStats, out Statx there);
            has = result == 0 && own.IsSame(there);
        }

        return result == -Errno.ENOENT ? 0 : result;
    }

    /// <summary>Returns true if the file was deleted (its link count is zero), so that no program can find what is written to it.</summary>
    /// <param name="file">The file.</param>
    /// <param name="length">The length of the file at that moment.</param>
    public static bool HasNoName(SluiceHandle file, out long length)
    {
        if (Libc.IsSupported)
        {
            using OpenFile.Reference reference = file.TakeReference();
            if (Libc.Stat(file.Descriptor, StatxMask.NLink | StatxMask.Size, out Statx stat) == 0)
            {
                length = (long)stat.Size;
                return stat.NLink == 0;
            }
        }

        length = file.Length;
        return false;
    }

    /// <summary>Returns the permissions of a file, for another file that gets a part of its content; null on Windows.</summary>
    public static UnixFileMode? PermissionsOf(SluiceHandle file) =>
        OperatingSystem.IsWindows() ? null : File.GetUnixFileMode(file.SafeFileHandle);

    /// <summary>
    /// Returns the time at which a file was created; on Linux, if the file system does not store it, the time of its last change.
    /// </summary>
    public static DateTime MadeUtc(SluiceHandle file)
    {
        if (Libc.IsSupported)
        {
            // On Linux, .NET's creation time is the time of the last change.
            using OpenFile.Reference reference = file.TakeReference();
            if (Libc.Stat(file.Descriptor, StatxMask.BasicStats | StatxMask.Btime, out Statx stat) == 0
                && (stat.Mask & StatxMask.Btime) != 0
                && stat.Btime.Seconds is > 0 and < LastSecond)
            {
                return DateTime.UnixEpoch.AddTicks(
                    (stat.Btime.Seconds * TimeSpan.TicksPerSecond) + (stat.Btime.Nanoseconds / TimeSpan.NanosecondsPerTick));
            }
        }

        return File.GetCreationTimeUtc(file.SafeFileHandle);
    }

    /// <summary>Makes the content of a file durable, including the bytes that other handles wrote.</summary>
    /// <remarks>
    /// On Linux, every error is thrown. <see cref="SluiceHandle.FlushToDisk()"/> ignores some errors if the handle is read-only, although
    /// bytes that another handle wrote may be lost.
    /// </remarks>
    /// <exception cref="IOException">The data may not be on the disk.</exception>
    public static void Flush(SluiceHandle file, SluiceLogOptions settings) => Flush(file, IoVerb.Flush, settings);

    /// <summary>
    /// Makes the content of a file durable, but not its times (fdatasync(2)). If <paramref name="needsJournal"/> is true and the file is
    /// open for writing, success also means that the journal of the file system was not aborted before, so that earlier flushes of any file
    /// took effect; this check can set the times of the file to the current time.
    /// </summary>
    /// <param name="file">The file.</param>
    /// <param name="settings">The options with the engine.</param>
    /// <param name="needsJournal">
    /// False if all bytes that were written since the last flush have replaced bytes that were on the disk already.
    /// </param>
    public static void FlushData(SluiceHandle file, SluiceLogOptions settings, bool needsJournal = true) =>
        Flush(file, IoVerb.FlushData, settings, needsJournal);

    /// <summary>
    /// Returns the ranges of a file from an offset on that the file system does not know to be zeros, such as reserved space. Nothing is
    /// read, because the kernel counts as data what it has read ahead.
    /// </summary>
    public static List<(long From, long To)> ListData(SluiceHandle file, long offset)
    {
        using OpenFile.Reference reference = file.TakeReference();
        List<(long, long)> ranges = [];
        long end = file.Length;
        for (long at = offset; at < end; at = ranges[^1].Item2)
        {
            long from = Libc.IsSupported ? CopyCalls.FindData(file.Descriptor, at) : at;
            if (from == -Errno.ENXIO)
            {
                break;
            }

            from = Math.Max(from, at);
            long to = Libc.IsSupported ? CopyCalls.FindHole(file.Descriptor, from) : end;
            ranges.Add((from, to > from ? to : end));
        }

        return ranges;
    }

    /// <summary>
    /// Drops the pages from an offset on, and possibly some before it, from the page cache, so that the content is read from the disk.
    /// Changed pages must have been written back before. Does nothing on operating systems other than Linux.
    /// </summary>
    public static void DropFromCache(SluiceHandle file, long offset)
    {
        if (Libc.IsSupported)
        {
            // Only whole pages are dropped, and the cache may hold them in blocks of up to MaxBlockPages.
            using OpenFile.Reference reference = file.TakeReference();
            CacheCalls.Drop(file.Descriptor, offset - (offset % (MaxBlockPages * Environment.SystemPageSize)), 0);
        }
    }

    private static IOException TooLarge(ArgumentOutOfRangeException error) => new(error.Message, error) { HResult = Errno.EFBIG };

    private static void Flush(SluiceHandle file, IoVerb verb, SluiceLogOptions settings, bool needsJournal = false)
    {
        // An intercepting engine (tests) gets the flush; otherwise, on Linux, the system call is made here.
        if (settings.Engine is InterceptingEngine || !Libc.IsSupported)
        {
            if (verb == IoVerb.FlushData)
            {
                file.FlushDataToDisk();
            }
            else
            {
                file.FlushToDisk();
            }

            return;
        }

        using OpenFile.Reference reference = file.TakeReference();
        int result = verb == IoVerb.FlushData ? Libc.FlushData(file.Descriptor) : Libc.Flush(file.Descriptor);
        if (result == 0 && needsJournal && (file.Access & FileAccess.Write) != 0)
        {
            result = CheckJournal(file.Descriptor);
        }

        if (result < 0)
        {
            Exception error = IoErrors.Create(-result, verb, file.Path, -1);
            throw error is ArgumentOutOfRangeException tooLarge ? TooLarge(tooLarge) : error;
        }
    }

    /// <summary>
    /// Checks whether the journal of the file system was aborted. On ext4, an fdatasync that runs while the journal is being aborted can
    /// return 0 although its data is lost (decision 0015). Two calls that fail on an aborted journal detect this. Returns zero or a
    /// negative errno.
    /// </summary>
    private static int CheckJournal(int fd)
    {
        if (Libc.IsExt(fd))
        {
            // The result is ignored: the change makes the file system notice that its journal was aborted.
            _ = Libc.SetTimes(fd, []);
        }

        // On an aborted file system even a write of zero bytes fails.
        return TransferCalls.Write(fd, [], 0, RwFlags.None);
    }
}
