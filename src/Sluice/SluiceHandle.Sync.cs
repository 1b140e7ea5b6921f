using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>Synchronous scalar transfers: straight to the system call.</summary>
public sealed partial class SluiceHandle
{
    private const int ESPIPE = 29;

    /// <summary>Reads at an offset; returns how many bytes, fewer than asked only at the end of the file, 0 behind it.</summary>
    /// <param name="buffer">Where the bytes go.</param>
    /// <param name="fileOffset">Where to read, in bytes; ignored by files that cannot seek.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative.</exception>
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

        if (IsCustomEngine || !Libc.IsSupported)
        {
            return ReadSlow(buffer, fileOffset);
        }

        bool added = false;
        try
        {
            Hold(ref added);

            // The read itself says where there are no offsets: one call less for what is opened, read and closed.
            long offset = _seeking == SeeksNot ? -1 : fileOffset;
            int first = Alignment.Offset == 1
                ? LinuxTransfer.Read(_fd, Debugged(buffer), offset, Flags)
                : DirectTransfer.Read(this, buffer, offset);
            if (first == -ESPIPE && !CanSeek)
            {
                offset = -1;
                first = LinuxTransfer.Read(_fd, Debugged(buffer), offset, Flags);
            }

            if (first == buffer.Length && !DropsBehind)
            {
                return first;
            }

            return ReadRest(buffer, offset, first);
        }
        finally
        {
            if (added)
            {
                ReleaseReference();
            }
        }
    }

    /// <summary>Writes all of the buffer at an offset, or throws.</summary>
    /// <param name="buffer">The bytes.</param>
    /// <param name="fileOffset">Where to, in bytes; ignored by files that cannot seek, and by the kernel on a handle opened with <see cref="FileMode.Append"/>.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="fileOffset"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The handle was not opened for writing.</exception>
    /// <exception cref="IOException">The operating system reported an error; some of the bytes may have been written.</exception>
    public void Write(ReadOnlySpan<byte> buffer, long fileOffset)
    {
        CheckOffset(fileOffset);
        if (buffer.IsEmpty)
        {
            return;
        }

        if (IsCustomEngine || !Libc.IsSupported)
        {
            WriteSlow(buffer, fileOffset);
            return;
        }

        bool added = false;
        try
        {
            Hold(ref added);
            WriteAll(buffer, CanSeek ? fileOffset : -1);
        }
        finally
        {
            if (added)
            {
                ReleaseReference();
            }
        }
    }

    /// <summary>All of it, from <paramref name="offset"/> (-1: where the descriptor stands); the caller holds a reference.</summary>
    private void WriteAll(ReadOnlySpan<byte> buffer, long offset)
    {
        int retries = 0;
        while (true)
        {
            int written = Alignment.Offset == 1
                ? LinuxTransfer.Write(_fd, Debugged(buffer), offset, Flags)
                : DirectTransfer.Write(this, buffer, offset);
            if (written == buffer.Length && !DropsBehind)
            {
                return;
            }

            if (written < 0)
            {
                if (!RecoverSync(-written, IoVerb.Write, offset, buffer.Length))
                {
                    IoErrors.Throw(-written, IoVerb.Write, Path, offset);
                }

                continue;
            }

            AfterWrite(offset, written);
            buffer = buffer[written..];
            offset = offset < 0 ? offset : offset + written;
            if (buffer.IsEmpty)
            {
                return;
            }

            if (written == 0 && ++retries > 64)
            {
                IoErrors.Throw(Errno.EIO, IoVerb.Write, Path, offset);
            }
        }
    }

    /// <summary>What a first read did not finish: an error, a short transfer, pages to drop.</summary>
    private int ReadRest(Span<byte> buffer, long offset, int first)
    {
        int done = 0;
        int bytes = first;
        while (true)
        {
            if (bytes < 0)
            {
                if (IsInvalidBehindEnd(bytes, offset + done, buffer.Length - done))
                {
                    return done;
                }

                if (!RecoverSync(-bytes, IoVerb.Read, offset + done, buffer.Length - done))
                {
                    IoErrors.Throw(-bytes, IoVerb.Read, Path, offset < 0 ? offset : offset + done);
                }
            }
            else
            {
                AfterRead(offset + done, bytes);
                bool isWhole = bytes == Math.Min(buffer.Length - done, MostBytesPerTransfer);
                done += bytes;
                if (done == buffer.Length || bytes == 0 || offset < 0 || (!isWhole && IsAtEnd(offset + done)))
                {
                    return done;
                }
            }

            Span<byte> rest = buffer[done..];
            bytes = Alignment.Offset == 1
                ? LinuxTransfer.Read(_fd, Debugged(rest), offset < 0 ? offset : offset + done, Flags)
                : DirectTransfer.Read(this, rest, offset + done);
        }
    }

    /// <summary>
    /// A read of 0 bytes only finds out whether reading is allowed: by the system call at once, since a ring would wait for a pipe to
    /// have something.
    /// </summary>
    private void ReadNothing(long fileOffset)
    {
        if (!Libc.IsSupported)
        {
            _ = RandomAccess.Read(_file, Span<byte>.Empty, Math.Max(fileOffset, 0));
            return;
        }

        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            int result = LinuxTransfer.Read(_fd, Span<byte>.Empty, CanSeek ? 0 : -1, RwFlags.None);
            if (result < 0)
            {
                IoErrors.Throw(-result, IoVerb.Read, Path, fileOffset);
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

    /// <summary>Near the largest offset the kernel calls a direct read invalid where a cached one finds the end of the file.</summary>
    internal bool IsInvalidBehindEnd(int result, long offset, long length) =>
        result == -Errno.EINVAL && Caching == FileCaching.Direct && offset <= long.MaxValue - length && IsAtEnd(offset);

    /// <summary>True when the call should be made again in another way.</summary>
    private bool RecoverSync(int errno, IoVerb verb, long offset, int length)
    {
        if (errno == Errno.EOPNOTSUPP && (Flags & RwFlags.DontCache) != RwFlags.None)
        {
            LoseDontCache();
            return true;
        }

        return errno == Errno.EINVAL && LoseDirect(verb, offset, length);
    }

    /// <summary>In Debug builds, cuts a transfer short, so that every test walks the rest of partial transfers.</summary>
    private static Span<byte> Debugged(Span<byte> buffer) =>
        buffer.Length > MostBytesPerTransfer ? buffer[..MostBytesPerTransfer] : buffer;

    private static ReadOnlySpan<byte> Debugged(ReadOnlySpan<byte> buffer) =>
        buffer.Length > MostBytesPerTransfer ? buffer[..MostBytesPerTransfer] : buffer;

    /// <summary>Through an engine that was asked for, or where Sluice makes no system calls of its own.</summary>
    private int ReadSlow(Span<byte> buffer, long fileOffset)
    {
        if (!IsCustomEngine)
        {
            try
            {
                return RandomAccess.Read(_file, buffer, Math.Max(fileOffset, 0));
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw IoErrors.Wrap(e, IoVerb.Read, Path, fileOffset);
            }
        }

        byte[] copy = GC.AllocateUninitializedArray<byte>(buffer.Length);
        int bytes = Wait(StartRead(copy, fileOffset, 0, CancellationToken.None));
        copy.AsSpan(0, bytes).CopyTo(buffer);
        return bytes;
    }

    private void WriteSlow(ReadOnlySpan<byte> buffer, long fileOffset)
    {
        if (!IsCustomEngine)
        {
            try
            {
                RandomAccess.Write(_file, buffer, Math.Max(fileOffset, 0));
                return;
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                throw IoErrors.Wrap(e, IoVerb.Write, Path, fileOffset);
            }
        }

        Wait(StartWrite(buffer.ToArray(), fileOffset, 0, CancellationToken.None));
    }

    private static int Wait(ValueTask<int> task) => task.AsTask().GetAwaiter().GetResult();

    private static long Wait(ValueTask<long> task) => task.AsTask().GetAwaiter().GetResult();

    private static void Wait(ValueTask task) => task.AsTask().GetAwaiter().GetResult();
}
