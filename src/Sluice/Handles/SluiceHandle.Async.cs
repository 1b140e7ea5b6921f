using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice;

// Asynchronous scalar transfers: inline where the data needs no waiting, else down to the engine. What such calls have lately cost on this
// handle chooses.
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

    /// <summary>Plain reads are for small transfers: the fifth of a system call is nothing to a large one, and its wait is
    /// longer.</summary>
    private const int MaxHotBytes = 64 * 1024;

    /// <summary>Where the last short read found the end of the file.</summary>
    private long _endSeen = -1;

    // Counts that begin anew when they overflow: then the page cache is asked a few times more.
    private byte _coldReads;
    private byte _hotReads;

    /// <summary>Asynchronously reads bytes from the specified offset.</summary>
    /// <param name="buffer">
    /// The memory that receives the bytes. It must not be used until the returned task has completed, even after a cancellation.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the read. The io_uring engine can cancel a read in progress. The thread-pool engine cancels a read only before
    /// it starts or between pieces of 1 MiB (8 MiB with <see cref="FileCaching.Direct"/>).
    /// </param>
    /// <returns>
    /// A task whose result is the number of bytes read, as for <see cref="Read(Span{byte}, long)"/>. The task is already completed if this
    /// call copied all bytes from the page cache.
    /// </returns>
    /// <remarks>
    /// This method can copy up to 1 MiB from the page cache on the calling thread. It does not wait for the device there, with one
    /// exception: after 64 consecutive reads whose data was in the page cache, some reads of at most 64 KiB do not check this first. Such a
    /// read waits for the device if the data is no longer in the page cache.
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
                IoMetrics.Note(this, IoVerb.Read, Carrier.Inline, hot);
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

        if (!MayReadInline(buffer.Length, fileOffset))
        {
            return StartRead(buffer, fileOffset, 0, cancellationToken);
        }

        if (ReadFromCache(buffer.Span, fileOffset, out int bytes))
        {
            IoMetrics.Note(this, IoVerb.Read, Carrier.Inline, bytes);
            return new ValueTask<int>(bytes);
        }

        return StartRead(buffer, fileOffset, bytes, cancellationToken);
    }

    /// <summary>
    /// Whether the page cache is asked before a read; counts the question. At a negative offset, which what cannot seek ignores, a plain
    /// call would wait, and take what it finds from those who come after.
    /// </summary>
    private bool MayReadInline(long bytes, long fileOffset) =>
        fileOffset >= 0 && _readsInline && bytes <= InlineLimit && !IsKnownToBeginByWaiting && AsksCache();

    private bool AsksCache() => _coldReads < ColdStreak || (++_coldReads % ColdProbe) == 0;

    /// <summary>
    /// Returns true if an asynchronous cached write of at most <see cref="OpenFile.InlineLimit"/> is made on the calling thread;
    /// <see cref="OpenFile.EndWriteHere"/> follows. A negative offset may be a pipe's, which could be full.
    /// </summary>
    private bool TryBeginWriteHere(long bytes, long fileOffset, out long begin)
    {
        begin = 0;
        return fileOffset >= 0 && _writesInline && bytes <= InlineLimit && TryBeginWriteHere(out begin);
    }

    /// <summary>What the page cache has, in one call under one reference; false where that is not all, and an operation has to go
    /// on.</summary>
    private bool ReadFromCache(Span<byte> buffer, long fileOffset, out int bytes)
    {
        using Reference reference = Hold();
        if (fileOffset == _endSeen && TransferCalls.Read(_fd, CutForDebug(buffer), fileOffset, Uring.Abi.RwFlags.None) == 0)
        {
            // Where the file ended a moment ago it mostly still ends, and a plain read that finds nothing does not wait.
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
            // A 0 may be a false end of file (kernels 5.9 and 5.10), a short count a page that is missing: the length decides.
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
            // This file system cannot be asked (FUSE, /proc): do not ask again.
            _readsInline = false;
        }

        // Every other error comes again, with its exception, on the way through the engine.
        return false;
    }

    /// <summary>Asynchronously writes all bytes of a buffer at the specified offset.</summary>
    /// <param name="buffer">
    /// The bytes to write. The memory must not be changed until the returned task has completed, even after a cancellation.
    /// </param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <param name="cancellationToken">
    /// The token to cancel the write. The io_uring engine can cancel a write in progress. The thread-pool engine cancels a write only
    /// before it starts or between pieces of 1 MiB (8 MiB with <see cref="FileCaching.Direct"/>).
    /// </param>
    /// <returns>A task that completes when all bytes are written.</returns>
    /// <remarks>
    /// <para>
    /// This method can copy up to 1 MiB into the page cache on the calling thread. If the kernel makes that write wait, for example because
    /// the file system is frozen, the calling thread waits until the write has ended. This can happen to one thread for each device, and to
    /// those that call within 1 ms of the end of another write to the device. Other writes use thread-pool threads, as do all writes to the
    /// device after two slow ones in a row until one was fast, and writes to files on FUSE.
    /// </para>
    /// <para>
    /// If the operating system handle was opened with O_APPEND, the bytes are written at the end of the file; see
    /// <see cref="Write(ReadOnlySpan{byte}, long)"/>.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="fileOffset"/> is negative, and the file can seek; or the file would become larger than the file system or the
    /// process's file size limit allows.
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

        if (!TryBeginWriteHere(buffer.Length, fileOffset, out long begin))
        {
            return StartWrite(buffer, fileOffset, 0, cancellationToken);
        }

        int bytes;
        try
        {
            bytes = WriteHere(buffer.Span, fileOffset);
        }
        finally
        {
            EndWriteHere(begin, buffer.Length);
        }

        if (bytes == buffer.Length)
        {
            IoMetrics.Note(this, IoVerb.Write, Carrier.Inline, bytes);
            return ValueTask.CompletedTask;
        }

        return bytes < 0
            ? ValueTask.FromException(ErrorOf(-bytes, IoVerb.Write, fileOffset))
            : StartWrite(buffer, fileOffset, bytes, cancellationToken);
    }

    /// <summary>As <see cref="WriteAsync(ReadOnlyMemory{byte}, long, CancellationToken)"/>, but never on the caller's thread.</summary>
    internal ValueTask WriteBehindAsync(ReadOnlyMemory<byte> buffer, long fileOffset)
    {
        CheckOffset(fileOffset);
        return StartWrite(buffer, fileOffset, 0, CancellationToken.None);
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

    /// <summary>
    /// An operation that does nothing but pass through the engine and come back: for measuring the engine alone. The bench's; no file is
    /// touched.
    /// </summary>
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

        using Reference reference = Hold();
        int result = verb == IoVerb.FlushData ? Libc.FlushData(_fd) : Libc.Flush(_fd);
        if (result < 0 && !HasNothingToFlush(-result))
        {
            ThrowFailed(-result, verb, -1);
        }

        IoMetrics.Note(this, verb, Carrier.Inline, 0);
    }

    private ValueTask FlushAsync(IoVerb verb, CancellationToken cancellationToken)
    {
        ThrowIfClosed();
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        IoOperation operation = IoOperation.ForFlush(this, verb, cancellationToken);
        short version = operation.Version;
        operation.Start();
        return new ValueTask(operation, version);
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

        using Reference reference = Hold();
        return TransferCalls.Read(_fd, CutForDebug(buffer), fileOffset, Uring.Abi.RwFlags.None);
    }

    /// <summary>
    /// Writes between <see cref="TryBeginWriteHere(long, long, out long)"/> and <see cref="OpenFile.EndWriteHere"/>, and returns the result
    /// as <see cref="OutcomeOf"/> does.
    /// </summary>
    private int WriteHere(ReadOnlySpan<byte> buffer, long fileOffset)
    {
        using Reference reference = Hold();
        int written = TransferCalls.Write(_fd, CutForDebug(buffer), fileOffset, TransferFlags);
        AfterWrite(fileOffset, written);
        return OutcomeOf(written);
    }

    /// <summary>
    /// What a write on its caller's thread has come to: bytes; 0 in place of an error that asks for another way, which an operation finds;
    /// or another negative errno, which is the caller's at once. It need not come again: that earlier bytes could not be kept (by the
    /// server of NFS, by the device of O_SYNC) is told once.
    /// </summary>
    private static int OutcomeOf(int written) =>
        -written is Errno.EAGAIN or Errno.EINTR or Errno.ESPIPE or Errno.EINVAL or Errno.EOPNOTSUPP ? 0 : written;

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
}
