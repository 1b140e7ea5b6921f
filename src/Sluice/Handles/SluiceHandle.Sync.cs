using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

// Synchronous transfers of one buffer, with system calls on the calling thread.
public sealed partial class SluiceHandle
{
    /// <summary>Reads bytes from the specified offset.</summary>
    /// <param name="buffer">The memory that receives the bytes.</param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <returns>
    /// The number of bytes read; 0 at or after the end of the file. It is less than the length of <paramref name="buffer"/> only at the end
    /// of the file, or for a file without a length, such as a pipe or a file in /proc.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative, and the file can seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for reading.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public int Read(Span<byte> buffer, long fileOffset)
    {
        CheckOffset(fileOffset);
        if (buffer.IsEmpty)
        {
            ReadNothing(fileOffset);
            return 0;
        }

        return ReadHere(buffer, fileOffset, acceptsShort: false);
    }

    /// <summary>
    /// Reads bytes for callers that continue until 0 bytes are returned: only 0 bytes mean the end of the file. A short read is not compared
    /// with the length of the file, which saves a system call. The buffer must not be empty.
    /// </summary>
    internal int ReadSome(Span<byte> buffer, long fileOffset)
    {
        ThrowIfClosed();
        return ReadHere(buffer, fileOffset, acceptsShort: true);
    }

    private int ReadHere(Span<byte> buffer, long fileOffset, bool acceptsShort)
    {
        if (NeedsOperation)
        {
            return TryReadAligned(buffer, fileOffset, acceptsShort, out int read) ? read : IoOperation.Read(this, buffer, fileOffset);
        }

        using Reference reference = TakeReference();

        // The first read detects a file that cannot seek, which saves a system call for files that are opened, read and closed.
        long offset = IsKnownUnseekable ? -1 : fileOffset;
        int first = TransferCalls.ReadWaiting(_fd, CutForDebug(buffer), offset, TransferFlags);
        if (first == -Errno.ESPIPE && !CanSeek)
        {
            offset = -1;
            first = TransferCalls.ReadWaiting(_fd, CutForDebug(buffer), offset, TransferFlags);
        }

        bool isDone = (first == buffer.Length || (acceptsShort && first >= 0)) && !DropsBehind;
        int bytes = isDone ? first : ReadRest(buffer, offset, first);
        IoMetrics.Note(this, IoVerb.Read, CompletionPath.Inline, bytes);
        return bytes;
    }

    /// <summary>
    /// Reads an aligned buffer of a direct file with one system call. Returns false if the buffer is not aligned, or if the call failed or
    /// is to be continued; an operation then reads all of it.
    /// </summary>
    private bool TryReadAligned(Span<byte> buffer, long fileOffset, bool acceptsShort, out int bytes)
    {
        bytes = 0;
        if (Caching != FileCaching.Direct || IsIntercepted || buffer.Length > MaxBytesPerTransfer)
        {
            return false;
        }

        using Reference reference = TakeReference();
        bytes = LinuxTransfer.ReadAligned(this, buffer, fileOffset);
        if (bytes <= 0 || (bytes < buffer.Length && !acceptsShort && !IsAtEnd(fileOffset + bytes)))
        {
            return false;
        }

        IoMetrics.Note(this, IoVerb.Read, CompletionPath.Inline, bytes);
        return true;
    }

    /// <summary>Writes all bytes of a buffer at the specified offset.</summary>
    /// <param name="buffer">The bytes to write.</param>
    /// <param name="fileOffset">The offset in the file, in bytes. It is ignored if the file cannot seek.</param>
    /// <remarks>
    /// On Linux, if the operating system handle was opened with O_APPEND, the bytes are written at the end of the file, regardless of the
    /// offset (pwrite(2), BUGS). <see cref="FileMode.Append"/> does not set O_APPEND.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="fileOffset"/> is negative, and the file can seek; or the file would become larger than the file system allows.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error. Some of the bytes may have been written.</exception>
    public void Write(ReadOnlySpan<byte> buffer, long fileOffset)
    {
        CheckOffset(fileOffset);
        if (buffer.IsEmpty)
        {
            return;
        }

        if (NeedsOperation)
        {
            IoOperation.Write(this, buffer, fileOffset);
            return;
        }

        using Reference reference = TakeReference();
        WriteCached(buffer, CanSeek ? fileOffset : -1);
        IoMetrics.Note(this, IoVerb.Write, CompletionPath.Inline, buffer.Length);
    }

    /// <summary>
    /// Gets a value that indicates whether a synchronous transfer needs more than a system call: with direct I/O, an intercepting engine,
    /// or System.IO.
    /// </summary>
    private bool NeedsOperation => Caching == FileCaching.Direct || IsIntercepted || !Libc.IsSupported;

    /// <summary>
    /// Writes all bytes at <paramref name="offset"/>, or at the descriptor's position if it is -1. The caller holds a reference.
    /// </summary>
    private void WriteCached(ReadOnlySpan<byte> buffer, long offset)
    {
        int retries = 0;
        int done = 0;
        while (true)
        {
            int written = TransferCalls.WriteWaiting(_fd, CutForDebug(buffer), offset, TransferFlags);
            if (written == buffer.Length && !DropsBehind)
            {
                return;
            }

            if (written < 0)
            {
                if (!RecoverCached(-written))
                {
                    throw PartialWrite.Note(ErrorOf(-written, IoVerb.Write, offset), this, done);
                }

                continue;
            }

            AfterWrite(offset, written);
            done += written;
            buffer = buffer[written..];
            offset = offset < 0 ? offset : offset + written;
            if (buffer.IsEmpty)
            {
                return;
            }

            if (written == 0 && ++retries > Tuning.OperationMaxRetries)
            {
                throw PartialWrite.Note(ErrorOf(Errno.EIO, IoVerb.Write, offset), this, done);
            }
        }
    }

    /// <summary>
    /// Completes a read whose first system call failed, was short, or left pages to drop. Returns the total number of bytes.
    /// </summary>
    private int ReadRest(Span<byte> buffer, long offset, int first)
    {
        int done = 0;
        int bytes = first;
        while (true)
        {
            if (bytes < 0)
            {
                if (!RecoverCached(-bytes))
                {
                    ThrowFailed(-bytes, IoVerb.Read, offset < 0 ? offset : offset + done);
                }
            }
            else
            {
                AfterRead(offset + done, bytes);
                bool isWhole = bytes == Math.Min(buffer.Length - done, MaxBytesPerTransfer);
                done += bytes;
                if (done == buffer.Length || bytes == 0 || offset < 0 || (!isWhole && IsAtEnd(offset + done)))
                {
                    return done;
                }
            }

            Span<byte> rest = buffer[done..];
            bytes = TransferCalls.ReadWaiting(_fd, CutForDebug(rest), offset < 0 ? offset : offset + done, TransferFlags);
        }
    }

    /// <summary>
    /// Checks with a read of 0 bytes whether reading is permitted. Does not use a ring, which would wait for data of a pipe. EAGAIN means
    /// that reading is permitted and no data is available.
    /// </summary>
    private void ReadNothing(long fileOffset)
    {
        if (!Libc.IsSupported)
        {
            _ = RandomAccess.Read(_file, Span<byte>.Empty, Math.Max(fileOffset, 0));
            return;
        }

        using Reference reference = TakeReference();
        int result = TransferCalls.Read(_fd, Span<byte>.Empty, CanSeek ? 0 : -1, RwFlags.None);
        if (result < 0 && result != -Errno.EAGAIN)
        {
            ThrowFailed(-result, IoVerb.Read, fileOffset);
        }
    }

    private ValueTask<T> ReadNothingAsync<T>(long fileOffset)
    {
        try
        {
            ReadNothing(fileOffset);
            return default;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return ValueTask.FromException<T>(e);
        }
    }

    /// <summary>Stops the use of RWF_DONTCACHE and returns true if a call failed because of it. The call must then be repeated.</summary>
    private bool RecoverCached(int errno)
    {
        bool again = errno == Errno.EOPNOTSUPP && (TransferFlags & RwFlags.DontCache) != RwFlags.None;
        if (again)
        {
            LoseDontCache();
        }

        return again;
    }

    /// <summary>Limits the length of a transfer. The limit is small in Debug builds, so that tests cover partial transfers.</summary>
    private static Span<byte> CutForDebug(Span<byte> buffer) =>
        buffer.Length > MaxBytesPerTransfer ? buffer[..MaxBytesPerTransfer] : buffer;

    private static ReadOnlySpan<byte> CutForDebug(ReadOnlySpan<byte> buffer) =>
        buffer.Length > MaxBytesPerTransfer ? buffer[..MaxBytesPerTransfer] : buffer;
}
