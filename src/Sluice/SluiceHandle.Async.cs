using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;

namespace Sluice;

/// <summary>
/// Asynchronous scalar transfers: inline where the data needs no waiting, else down to the engine. What such calls have lately cost
/// on this handle chooses.
/// </summary>
public sealed partial class SluiceHandle
{
    /// <summary>After so many cold reads in a row, the page cache is asked only now and then.</summary>
    private const int ColdStreak = 8;

    /// <summary>How often it is asked then: once in so many reads.</summary>
    private const int ColdProbe = 16;

    /// <summary>After so many reads in a row that found their pages, a plain read is made instead of one that may not wait.</summary>
    private const int HotStreak = 64;

    /// <summary>So many plain reads, then one that may not wait: whether the pages are still there is asked that often.</summary>
    private const int HotRun = 15;

    /// <summary>Plain reads are for small transfers: the fifth of a system call is nothing to a large one, and its wait is longer.</summary>
    private const int MostHotBytes = 64 * 1024;

    /// <summary>Where the last short read found the end of the file.</summary>
    private long _endSeen = -1;

    // Counts that begin anew when they overflow: then the page cache is asked a few times more.
    private byte _coldReads;
    private byte _hotReads;
    private sbyte _noWaitWrites = NoWaitUnknown;
    private const sbyte NoWaitUnknown = 0;
    private const sbyte NoWaitRefused = -1;
    private const int NoWaitMostMisses = 16;

    /// <summary>Reads at an offset, as <see cref="Read(Span{byte}, long)"/>; what lies in the page cache is there when this returns.</summary>
    /// <param name="buffer">Where the bytes go; it belongs to the transfer until the task has ended, cancellation included.</param>
    /// <param name="fileOffset">Where to read, in bytes; ignored by files that cannot seek.</param>
    /// <param name="cancellationToken">Asks to cancel, while the transfer is in flight too (io_uring), or before it starts (pool).</param>
    /// <exception cref="OperationCanceledException">The transfer was cancelled.</exception>
    public ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset, CancellationToken cancellationToken = default)
    {
        if (_hotReads >= HotStreak && buffer.Length <= MostHotBytes && fileOffset >= 0 && !_disposed && !cancellationToken.IsCancellationRequested)
        {
            int hot = ReadHot(buffer.Span, fileOffset);
            if (hot == buffer.Length)
            {
                return new ValueTask<int>(hot);
            }
        }

        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled<int>(cancellationToken);
        }

        if (buffer.IsEmpty)
        {
            return ReadNothingAsync<int>(fileOffset);
        }

        if (!_readsInline || (_coldReads >= ColdStreak && (++_coldReads % ColdProbe) != 0))
        {
            return StartRead(buffer, fileOffset, 0, cancellationToken);
        }

        if (fileOffset == _endSeen && ReadPlain(buffer.Span, fileOffset) == 0)
        {
            // Where the file ended a moment ago it mostly still ends, and a plain read that finds nothing does not wait.
            return new ValueTask<int>(0);
        }

        int bytes = ReadNoWait(buffer.Span, fileOffset);
        if (bytes == buffer.Length)
        {
            _coldReads = 0;
            NoteHotRead(fileOffset, bytes);
            return new ValueTask<int>(bytes);
        }

        _hotReads = 0;
        if (bytes >= 0)
        {
            // A 0 may be a false end of file (kernels 5.9 and 5.10), a short count a page that is missing: the length decides.
            if (IsShortAtEnd(fileOffset + bytes))
            {
                AfterRead(fileOffset, bytes);
                return new ValueTask<int>(bytes);
            }

            return StartRead(buffer, fileOffset, bytes, cancellationToken);
        }

        if (bytes == -Errno.EAGAIN)
        {
            _coldReads++;
        }
        else if (bytes == -Errno.EOPNOTSUPP && (Flags & Uring.Abi.RwFlags.DontCache) == Uring.Abi.RwFlags.None)
        {
            // This file system cannot be asked (FUSE, /proc): do not ask again.
            _readsInline = false;
        }

        // Every other error comes again, with its exception, on the way through the engine.
        return StartRead(buffer, fileOffset, 0, cancellationToken);
    }

    /// <summary>Writes all of the buffer at an offset, or throws.</summary>
    /// <param name="buffer">The bytes; the memory belongs to the transfer until the task has ended, cancellation included.</param>
    /// <param name="fileOffset">Where to, in bytes; ignored by files that cannot seek.</param>
    /// <param name="cancellationToken">Asks to cancel; some of the bytes may have been written then.</param>
    /// <exception cref="OperationCanceledException">The transfer was cancelled.</exception>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset, CancellationToken cancellationToken = default)
    {
        CheckOffset(fileOffset);
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        if (buffer.IsEmpty)
        {
            return ValueTask.CompletedTask;
        }

        if (!_writesInline || !WritePace.AllowsInline)
        {
            return StartWrite(buffer, fileOffset, 0, cancellationToken);
        }

        int bytes = WriteInline(buffer.Span, fileOffset);
        if (bytes == buffer.Length)
        {
            AfterWrite(fileOffset, bytes);
            return ValueTask.CompletedTask;
        }

        // The rest of a partial write, or the error once more, with its exception.
        return StartWrite(buffer, fileOffset, Math.Max(bytes, 0), cancellationToken);
    }

    /// <summary>As <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>, but never on the caller's thread.</summary>
    internal ValueTask WriteBehindAsync(ReadOnlyMemory<byte> buffer, long fileOffset)
    {
        CheckOffset(fileOffset);
        return StartWrite(buffer, fileOffset, 0, CancellationToken.None);
    }

    /// <summary>Makes what was written durable (fsync), or its data and what is needed to read it (fdatasync).</summary>
    /// <param name="dataOnly">Leaves times and other metadata to the operating system.</param>
    /// <exception cref="IOException">The device reported an error: data written since the last flush may be lost.</exception>
    public void FlushToDisk(bool dataOnly = false)
    {
        ThrowIfClosed();
        if (IsCustomEngine)
        {
            Wait(StartFlush(dataOnly, CancellationToken.None));
            return;
        }

        if (!Libc.IsSupported)
        {
            RandomAccess.FlushToDisk(_file);
            return;
        }

        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            int result = Libc.Flush(_fd, dataOnly);
            if (result < 0 && !(IsUnflushable(-result)))
            {
                IoErrors.Throw(-result, dataOnly ? IoVerb.FlushData : IoVerb.Flush, Path, -1);
            }
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }
    }

    /// <summary>As <see cref="FlushToDisk"/>, without blocking the caller.</summary>
    public ValueTask FlushToDiskAsync(bool dataOnly = false, CancellationToken cancellationToken = default)
    {
        ThrowIfClosed();
        return cancellationToken.IsCancellationRequested
            ? ValueTask.FromCanceled(cancellationToken)
            : StartFlush(dataOnly, cancellationToken);
    }

    /// <summary>Pipes, terminals and files of /proc have nothing to flush: fsync(2) says EINVAL or EROFS, and .NET ignores it.</summary>
    internal static bool IsUnflushable(int errno) => errno is Errno.EINVAL or Errno.EROFS or Errno.EOPNOTSUPP;

    private void NoteHotRead(long fileOffset, int bytes)
    {
        if (DropsBehind)
        {
            AfterRead(fileOffset, bytes);
        }
        else if (Flags == Uring.Abi.RwFlags.None)
        {
            _hotReads++;
        }
    }

    /// <summary>
    /// pread(2) where the last <see cref="HotStreak"/> reads were answered from the page cache: preadv2 with RWF_NOWAIT costs a fifth
    /// more (the iovec). A miss then blocks this thread for one device access; the probe after every <see cref="HotRun"/> reads sees it
    /// and ends the streak. 0 and less leave the read to the careful way.
    /// </summary>
    private int ReadHot(Span<byte> buffer, long fileOffset)
    {
        if (++_hotReads > HotStreak + HotRun)
        {
            // The next one is the probe: it starts from a streak that it alone can complete.
            _hotReads = HotStreak - 1;
            return 0;
        }

        return ReadPlain(buffer, fileOffset);
    }

    private int ReadPlain(Span<byte> buffer, long fileOffset)
    {
        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            return LinuxTransfer.Read(_fd, Debugged(buffer), fileOffset, Uring.Abi.RwFlags.None);
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }
    }

    private int ReadNoWait(Span<byte> buffer, long fileOffset)
    {
        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            return LinuxTransfer.ReadNoWait(_fd, buffer, fileOffset, Flags);
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }
    }

    private int WriteInline(ReadOnlySpan<byte> buffer, long fileOffset)
    {
        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            if (_noWaitWrites >= 0)
            {
                int bytes = LinuxTransfer.WriteNoWait(_fd, buffer, fileOffset, Flags);
                if (bytes > 0)
                {
                    return bytes;
                }

                // ext4 never takes it, xfs not where blocks must be allocated: a syscall saved is worth more than a rare wait.
                _noWaitWrites = bytes == -Errno.EAGAIN && _noWaitWrites < NoWaitMostMisses ? (sbyte)(_noWaitWrites + 1) : NoWaitRefused;
            }

            long begin = WritePace.Begin();
            int written = LinuxTransfer.Write(_fd, Debugged(buffer), fileOffset, Flags);
            WritePace.End(begin, buffer.Length);
            return written;
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }
    }

    private ValueTask<int> StartRead(Memory<byte> buffer, long fileOffset, int done, CancellationToken cancellationToken)
    {
        IoOperation operation = IoOperation.ForRead(this, buffer, fileOffset, done, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask<int>(operation, version);
    }

    private ValueTask StartWrite(ReadOnlyMemory<byte> buffer, long fileOffset, int done, CancellationToken cancellationToken)
    {
        IoOperation operation = IoOperation.ForWrite(this, buffer, fileOffset, done, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask(operation, version);
    }

    private ValueTask StartFlush(bool dataOnly, CancellationToken cancellationToken)
    {
        IoOperation operation = IoOperation.ForFlush(this, dataOnly, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask(operation, version);
    }
}
