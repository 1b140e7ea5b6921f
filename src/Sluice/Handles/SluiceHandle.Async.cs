using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice;

// Asynchronous transfers of one buffer: on the calling thread if this does not wait, otherwise by an operation of the engine. Recent
// results on this handle determine which is tried first.
public sealed partial class SluiceHandle
{
    /// <summary>
    /// The number of consecutive uncached reads after which only every <see cref="ColdProbe"/>th read checks the page cache.
    /// </summary>
    private const int ColdStreak = 8;

    /// <summary>The interval of these checks, in reads.</summary>
    private const int ColdProbe = 16;

    /// <summary>
    /// The number of consecutive cached reads after which pread(2), which may wait, is used instead of preadv2(2) with RWF_NOWAIT.
    /// </summary>
    private const int HotStreak = 64;

    /// <summary>The number of plain reads between two reads that check whether the data is still cached.</summary>
    private const int HotRun = 15;

    /// <summary>
    /// The maximum size of a plain read, in bytes. For larger reads the saving is small and the wait for the device longer.
    /// </summary>
    private const int MaxHotBytes = 64 * 1024;

    /// <summary>The end of the file as found by the last short read, or -1.</summary>
    private long _endSeen = -1;

    // If these counters overflow, the page cache is checked a few more times.
    private byte _coldReads;
    private byte _hotReads;

    /// <summary>Asynchronously reads bytes from the specified offset.</summary>
    /// <param name="buffer">
    /// The memory that receives the bytes. It must not be used until the returned task has completed, even after a cancellation.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the read. A read in a ring can be canceled until the device has begun it. A system call on a pool thread
    /// continues to its end: the token is checked before each one, which reads at most 1 MiB (8 MiB with <see cref="FileCaching.Direct"/>).
    /// </param>
    /// <returns>
    /// A task whose result is the number of bytes read, as for <see cref="Read(Span{byte}, long)"/>. The task is already completed if this
    /// call copied all bytes from the page cache.
    /// </returns>
    /// <remarks>
    /// <para>This method can copy up to 1 MiB from the page cache on the calling thread. It waits for the device in three cases:</para>
    /// <list type="bullet">
    /// <item>
    /// After 64 consecutive reads whose data was in the page cache, some reads of at most 64 KiB do not check this first. Such a read waits
    /// if the data is no longer in the page cache.
    /// </item>
    /// <item>
    /// A read at the offset at which the last short read ended waits if the file has become longer and the new data is not in the page
    /// cache.
    /// </item>
    /// <item>On tmpfs, a read waits for data that was swapped out.</item>
    /// </list>
    /// <para>
    /// A read that begins in a ring waits on the calling thread for metadata that is not in memory, for example on ext4 for the location of
    /// the data.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative, and the file can seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    /// <exception cref="OperationCanceledException">The read was canceled.</exception>
    public ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset, CancellationToken cancellationToken = default)
    {
        if (_hotReads >= HotStreak && buffer.Length <= MaxHotBytes && fileOffset >= 0 && !_disposed
            && !cancellationToken.IsCancellationRequested)
        {
            int hot = ReadHot(buffer.Span, fileOffset);
            if (hot == buffer.Length)
            {
                IoMetrics.Note(this, IoVerb.Read, CompletionPath.Inline, hot);
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

        int bytes = 0;
        return MayReadInline(buffer.Length, fileOffset) && TryReadHere(buffer.Span, fileOffset, out bytes)
            ? new ValueTask<int>(bytes)
            : IoOperation.ForRead(this, buffer, fileOffset, bytes, cancellationToken).StartIntTask();
    }

    /// <summary>
    /// Returns true if a read tries the page cache first. Counts the attempt. A negative offset is that of a file that cannot seek, where
    /// the attempt could wait and consume data.
    /// </summary>
    private bool MayReadInline(long bytes, long fileOffset) =>
        fileOffset >= 0 && _readsInline && bytes <= InlineLimit && !IsKnownToBlockSubmitter && ShouldTryCache();

    private bool ShouldTryCache() => _coldReads < ColdStreak || (++_coldReads % ColdProbe) == 0;

    /// <summary>
    /// Returns true if an asynchronous cached write of at most <see cref="OpenFile.InlineLimit"/> may be made on the calling thread. A
    /// negative offset may be that of a pipe, which could be full.
    /// </summary>
    private bool MayWriteInline(long bytes, long fileOffset) => fileOffset >= 0 && _writesInline && bytes <= InlineLimit;

    /// <summary>Reads from the page cache. Returns false if an operation must read the rest.</summary>
    private bool TryReadHere(Span<byte> buffer, long fileOffset, out int bytes)
    {
        bool isDone = ReadFromCache(buffer, fileOffset, out bytes);
        if (isDone)
        {
            IoMetrics.Note(this, IoVerb.Read, CompletionPath.Inline, bytes);
        }

        return isDone;
    }

    private bool ReadFromCache(Span<byte> buffer, long fileOffset, out int bytes)
    {
        using Reference reference = TakeReference();
        if (fileOffset == _endSeen && TransferCalls.Read(_fd, CutForDebug(buffer), fileOffset, Uring.Abi.RwFlags.None) == 0)
        {
            // The file probably still ends here, and a plain read at the end of a file does not wait.
            bytes = 0;
            return true;
        }

        Uring.Abi.RwFlags flags = TransferFlags;
        int result = TransferCalls.ReadNoWait(_fd, buffer, fileOffset, flags);
        bytes = Math.Max(result, 0);
        if (result == buffer.Length)
        {
            _coldReads = 0;
            NoteHotRead(fileOffset, result);
            return true;
        }

        _hotReads = 0;
        if (result >= 0)
        {
            // 0 bytes may be a false end of file (kernels 5.9 and 5.10), and fewer bytes may be due to a missing page: the length decides.
            bool isAtEnd = IsShortAtEnd(fileOffset + result);
            if (isAtEnd)
            {
                AfterRead(fileOffset, result);
            }

            return isAtEnd;
        }

        if (result == -Errno.EAGAIN)
        {
            _coldReads++;
        }
        else if (result == -Errno.EOPNOTSUPP && (flags & Uring.Abi.RwFlags.DontCache) == Uring.Abi.RwFlags.None)
        {
            // The file system does not support RWF_NOWAIT (FUSE, /proc).
            _readsInline = false;
        }

        // The engine repeats the read and reports any other error.
        return false;
    }

    /// <summary>Asynchronously writes all bytes of a buffer at the specified offset.</summary>
    /// <param name="buffer">
    /// The bytes to write. The memory must not be changed until the returned task has completed, even after a cancellation.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the write. A write in a ring, which only direct files and files that cannot seek use, can be canceled until the
    /// device has begun it. A system call on a pool thread continues to its end: the token is checked before each one, which writes at most
    /// 1 MiB (8 MiB with <see cref="FileCaching.Direct"/>).
    /// </param>
    /// <returns>A task that completes when all bytes are written.</returns>
    /// <remarks>
    /// <para>
    /// This method can copy up to 1 MiB into the page cache on the calling thread. If the kernel blocks that write, for example because the
    /// file system is frozen, the calling thread is blocked until the write has ended. If a device stops responding, this affects the
    /// threads that call this method within 1 ms after the end of an earlier write to the device, or one thread if there was no such
    /// write. Other writes are performed by the engine. They do not block the calling thread, except that a direct write that begins in a
    /// ring waits for metadata that is not in memory, for example on ext4 for the location of the data.
    /// </para>
    /// <para>
    /// After two slow writes in a row to a file or a device, no write is performed on the calling thread until a write was fast. Writes to
    /// files on FUSE are never performed on the calling thread.
    /// </para>
    /// <para>
    /// If the operating system handle was opened with O_APPEND, the bytes are written at the end of the file; see
    /// <see cref="Write(ReadOnlySpan{byte}, long)"/>.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="fileOffset"/> is negative, and the file can seek; or the file would become larger than the file system allows.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may have been written.</exception>
    /// <exception cref="OperationCanceledException">The write was canceled. Some of the bytes may have been written.</exception>
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

        int bytes = TryWriteHere(buffer.Span, fileOffset);
        return bytes == buffer.Length ? ValueTask.CompletedTask
            : bytes < 0 ? ValueTask.FromException(ErrorOf(-bytes, IoVerb.Write, fileOffset))
            : IoOperation.ForWrite(this, buffer, fileOffset, bytes, cancellationToken).StartTask();
    }

    /// <summary>Flushes all data and metadata of the file to the disk, so that they survive a power failure (fsync(2)).</summary>
    /// <remarks>
    /// As with <see cref="RandomAccess.FlushToDisk"/>, no exception is thrown if the file is not a regular file or the handle was opened
    /// only for reading.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="IOException">
    /// The device reported an error, or the file system became read-only after an error. Data that was written since the last flush may be
    /// lost.
    /// </exception>
    public void FlushToDisk() => Flush(IoVerb.Flush);

    /// <summary>Flushes the data of the file, and the metadata that is needed to read it, to the disk (fdatasync(2)).</summary>
    /// <remarks>
    /// The times of the file are not flushed, which often saves a write to the device. As with <see cref="RandomAccess.FlushToDisk"/>, no
    /// exception is thrown if the file is not a regular file or the handle was opened only for reading.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="IOException">
    /// The device reported an error, or the file system became read-only after an error. Data that was written since the last flush may be
    /// lost.
    /// </exception>
    public void FlushDataToDisk() => Flush(IoVerb.FlushData);

    /// <summary>
    /// Asynchronously flushes all data and metadata of the file to the disk, so that they survive a power failure (fsync(2)).
    /// </summary>
    /// <param name="cancellationToken">The token to cancel the flush.</param>
    /// <returns>A task that completes when the data is on the disk.</returns>
    /// <remarks>
    /// The flush does not block the calling thread. As with <see cref="RandomAccess.FlushToDisk"/>, no exception is thrown if the file is
    /// not a regular file or the handle was opened only for reading.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="IOException">
    /// The device reported an error, or the file system became read-only after an error. Data that was written since the last flush may be
    /// lost.
    /// </exception>
    /// <exception cref="OperationCanceledException">The flush was canceled.</exception>
    public ValueTask FlushToDiskAsync(CancellationToken cancellationToken = default) => FlushAsync(IoVerb.Flush, cancellationToken);

    /// <summary>
    /// Asynchronously flushes the data of the file, and the metadata that is needed to read it, to the disk (fdatasync(2)).
    /// </summary>
    /// <param name="cancellationToken">The token to cancel the flush.</param>
    /// <returns>A task that completes when the data is on the disk.</returns>
    /// <remarks>
    /// The flush does not block the calling thread. The times of the file are not flushed. As with <see cref="RandomAccess.FlushToDisk"/>,
    /// no exception is thrown if the file is not a regular file or the handle was opened only for reading.
    /// </remarks>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="IOException">
    /// The device reported an error, or the file system became read-only after an error. Data that was written since the last flush may be
    /// lost.
    /// </exception>
    /// <exception cref="OperationCanceledException">The flush was canceled.</exception>
    public ValueTask FlushDataToDiskAsync(CancellationToken cancellationToken = default) => FlushAsync(IoVerb.FlushData, cancellationToken);

    /// <summary>Performs an operation without a transfer, to measure the engine in benchmarks.</summary>
    internal ValueTask NothingAsync() => FlushAsync(IoVerb.Nothing, CancellationToken.None);

    private void Flush(IoVerb verb)
    {
        ThrowIfClosed();
        if (IsIntercepted)
        {
            _ = IoOperation.ForFlush(this, verb, CancellationToken.None).RunToEnd();
            return;
        }

        if (!Libc.IsSupported)
        {
            RandomAccess.FlushToDisk(_file);
            return;
        }

        using Reference reference = TakeReference();
        int result = verb == IoVerb.FlushData ? Libc.FlushData(_fd) : Libc.Flush(_fd);
        if (result < 0 && !HasNothingToFlush(-result))
        {
            ThrowFailed(-result, verb, -1);
        }

        IoMetrics.Note(this, verb, CompletionPath.Inline, 0);
    }

    private ValueTask FlushAsync(IoVerb verb, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        return IoOperation.ForFlush(this, verb, cancellationToken).StartTask();
    }

    private void NoteHotRead(long fileOffset, int bytes)
    {
        if (DropsBehind)
        {
            AfterRead(fileOffset, bytes);
        }
        else if (TransferFlags == Uring.Abi.RwFlags.None)
        {
            _hotReads++;
        }
    }

    /// <summary>
    /// Reads with pread(2) after <see cref="HotStreak"/> cached reads: preadv2 with RWF_NOWAIT takes a fifth longer. If the data is not
    /// cached, the thread waits for one access to the device; the check after every <see cref="HotRun"/> reads detects this. A result of 0
    /// or less means that the regular path must be taken.
    /// </summary>
    private int ReadHot(Span<byte> buffer, long fileOffset)
    {
        if (++_hotReads > HotStreak + HotRun)
        {
            // The next read checks the page cache; if it succeeds, the streak continues.
            _hotReads = HotStreak - 1;
            return 0;
        }

        using Reference reference = TakeReference();
        return TransferCalls.Read(_fd, CutForDebug(buffer), fileOffset, Uring.Abi.RwFlags.None);
    }

    /// <summary>
    /// Writes on the calling thread if <see cref="MayWriteInline"/> and the device allow it. Returns the number of bytes, 0 if an operation
    /// must perform the write, or a negative errno.
    /// </summary>
    private int TryWriteHere(ReadOnlySpan<byte> buffer, long fileOffset)
    {
        if (!MayWriteInline(buffer.Length, fileOffset) || !TryBeginWriteHere(out long begin))
        {
            return 0;
        }

        try
        {
            using Reference reference = TakeReference();
            int written = TransferCalls.Write(_fd, CutForDebug(buffer), fileOffset, TransferFlags);
            AfterWrite(fileOffset, written);
            if (written == buffer.Length)
            {
                IoMetrics.Note(this, IoVerb.Write, CompletionPath.Inline, written);
            }

            return OutcomeOf(written);
        }
        finally
        {
            EndWriteHere(begin, buffer.Length);
        }
    }

    /// <summary>
    /// Returns the result of a write on the calling thread: the number of bytes; 0 for errors after which an operation tries another way;
    /// or a negative errno, which is reported immediately because the kernel may report it only once (a delayed error on NFS or with
    /// O_SYNC).
    /// </summary>
    private static int OutcomeOf(int written) =>
        -written is Errno.EAGAIN or Errno.EINTR or Errno.ESPIPE or Errno.EINVAL or Errno.EOPNOTSUPP ? 0 : written;
}
