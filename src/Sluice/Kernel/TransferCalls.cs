using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Kernel;

/// <summary>
/// Reads or writes a span with one system call, at an offset or (-1) at the descriptor's position. Returns the number of bytes or a
/// negative errno.
/// </summary>
internal static unsafe class TransferCalls
{
    public static int Read(int fd, Span<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            return Read(fd, p, buffer.Length, offset, flags);
        }
    }

    public static int Write(int fd, ReadOnlySpan<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            return Write(fd, p, buffer.Length, offset, flags);
        }
    }

    /// <summary>
    /// Reads from the page cache without waiting. Returns -EAGAIN if the data is not cached, and -EOPNOTSUPP if the file system does not
    /// support RWF_NOWAIT. tmpfs does not support it, and waits only for data that was swapped out. The buffer is pinned during the call
    /// only.
    /// </summary>
    public static int ReadNoWait(int fd, Span<byte> buffer, long offset, RwFlags flags)
    {
        int bytes = AskNoWait(fd, buffer, offset, flags);
        return bytes == -Errno.EOPNOTSUPP && flags == RwFlags.None && Libc.IsInMemory(fd) ? Read(fd, buffer, offset, flags) : bytes;
    }

    /// <summary>Reads with RWF_NOWAIT, like <see cref="ReadNoWait"/>, but returns -EOPNOTSUPP also on tmpfs.</summary>
    public static int AskNoWait(int fd, Span<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            return TransferV(isRead: true, fd, p, buffer.Length, offset, flags | RwFlags.NoWait);
        }
    }

    public static int Read(int fd, byte* p, int length, long offset, RwFlags flags) =>
        offset < 0 ? Libc.ReadHere(fd, p, length)
        : flags == RwFlags.None ? Libc.Read(fd, p, length, offset)
        : TransferV(isRead: true, fd, p, length, offset, flags);

    public static int Write(int fd, byte* p, int length, long offset, RwFlags flags) =>
        offset < 0 ? Libc.WriteHere(fd, p, length)
        : flags == RwFlags.None ? Libc.Write(fd, p, length, offset)
        : TransferV(isRead: false, fd, p, length, offset, flags);

    /// <summary>
    /// Reads, and waits for bytes if the file cannot seek and the descriptor is open with O_NONBLOCK.
    /// </summary>
    public static int ReadWaiting(int fd, Span<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            return ReadWaiting(fd, p, buffer.Length, offset, flags);
        }
    }

    /// <inheritdoc cref="ReadWaiting(int, Span{byte}, long, RwFlags)"/>
    public static int ReadWaiting(int fd, byte* p, int length, long offset, RwFlags flags)
    {
        int result;
        while (IsWaitedFor(result = Read(fd, p, length, offset, flags), isRead: true, fd, offset))
        {
        }

        return result;
    }

    /// <summary>Writes, and waits for room if the file cannot seek and the descriptor is open with O_NONBLOCK.</summary>
    public static int WriteWaiting(int fd, ReadOnlySpan<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            return WriteWaiting(fd, p, buffer.Length, offset, flags);
        }
    }

    /// <inheritdoc cref="WriteWaiting(int, ReadOnlySpan{byte}, long, RwFlags)"/>
    public static int WriteWaiting(int fd, byte* p, int length, long offset, RwFlags flags)
    {
        int result;
        while (IsWaitedFor(result = Write(fd, p, length, offset, flags), isRead: false, fd, offset))
        {
        }

        return result;
    }

    /// <summary>Transfers segments in one call, and waits as <see cref="ReadWaiting(int, Span{byte}, long, RwFlags)"/> does.</summary>
    public static int VectorWaiting(bool isRead, int fd, Iovec* segments, int count, long offset, RwFlags flags)
    {
        int result;
        while (IsWaitedFor(
            result = isRead ? Libc.ReadV(fd, segments, count, offset, flags) : Libc.WriteV(fd, segments, count, offset, flags),
            isRead, fd, offset))
        {
        }

        return result;
    }

    private static bool IsWaitedFor(int result, bool isRead, int fd, long offset) =>
        result == -Errno.EAGAIN && offset < 0 && PollCalls.WaitUntilReady(fd, isRead);

    private static int TransferV(bool isRead, int fd, byte* p, int length, long offset, RwFlags flags)
    {
        Iovec segment;
        segment.Base = p;
        segment.Len = (nuint)length;
        return isRead ? Libc.ReadV(fd, &segment, 1, offset, flags) : Libc.WriteV(fd, &segment, 1, offset, flags);
    }
}
