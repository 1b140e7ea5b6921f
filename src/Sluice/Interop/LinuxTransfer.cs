using System.Diagnostics;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// One operation, or one span, as one blocking system call. Results are bytes or a negative errno; the rest of a partial transfer is
/// the operation's business (asynchronous) or <see cref="SluiceHandle"/>'s (synchronous).
/// </summary>
internal static unsafe class LinuxTransfer
{
    public static int Run(IoOperation operation)
    {
        SluiceHandle handle = operation.Handle;
        int fd = operation.Descriptor;
        byte* address = (byte*)operation.Address;
        int length = operation.Length;
        long offset = operation.FileOffset;
        switch (operation.Verb)
        {
            case IoVerb.Read:
                return operation.NeedsBlocking && handle.Alignment.Offset != 1
                    ? DirectTransfer.ReadBlocks(handle, address, length, offset)
                    : Read(fd, address, length, offset, operation.Flags);
            case IoVerb.Write:
                if (operation.NeedsBlocking && handle.Alignment.Offset != 1)
                {
                    return DirectTransfer.Write(handle, PinnedMemory.SpanOf(operation.Address, length), offset);
                }

                long begin = Stopwatch.GetTimestamp();
                int written = Write(fd, address, length, offset, operation.Flags);
                handle.WritePace.Record(begin, length);
                return written;
            case IoVerb.ReadVector:
                return operation.NeedsBlocking && handle.Alignment.Offset != 1
                    ? DirectTransfer.ReadVector(handle, (Iovec*)address, operation.SegmentCount, offset)
                    : Libc.ReadV(fd, (Iovec*)address, operation.SegmentCount, offset, operation.Flags);
            case IoVerb.WriteVector:
                return operation.NeedsBlocking && handle.Alignment.Offset != 1
                    ? DirectTransfer.WriteVector(handle, (Iovec*)address, operation.SegmentCount, offset)
                    : Libc.WriteV(fd, (Iovec*)address, operation.SegmentCount, offset, operation.Flags);
            case IoVerb.Append:
                operation.SetResult(handle.AppendBlocking(PinnedMemory.SpanOf(operation.Address, length)));
                return length;
            case IoVerb.Flush or IoVerb.FlushData:
                return Libc.Flush(fd, operation.Verb == IoVerb.FlushData);
            default:
                throw new UnreachableException();
        }
    }

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
    /// Reads what is in the page cache and returns; -EAGAIN when nothing is, -EOPNOTSUPP where it cannot be asked. A file system that is
    /// in memory cannot be (tmpfs), but there everything is. The buffer is pinned for the call only.
    /// </summary>
    public static int ReadNoWait(int fd, Span<byte> buffer, long offset, RwFlags flags)
    {
        int bytes = AskNoWait(fd, buffer, offset, flags);
        return bytes == -Errno.EOPNOTSUPP && flags == RwFlags.None && Libc.IsInMemory(fd) ? Read(fd, buffer, offset, flags) : bytes;
    }

    /// <summary>What the file system itself says to a read that may not wait.</summary>
    public static int AskNoWait(int fd, Span<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            Iovec segment;
            segment.Base = p;
            segment.Len = (nuint)buffer.Length;
            return Libc.ReadV(fd, &segment, 1, offset, flags | RwFlags.NoWait);
        }
    }

    /// <summary>Writes into the page cache if that needs no waiting; -EAGAIN when it would, -EOPNOTSUPP where it cannot be asked.</summary>
    public static int WriteNoWait(int fd, ReadOnlySpan<byte> buffer, long offset, RwFlags flags)
    {
        fixed (byte* p = buffer)
        {
            Iovec segment;
            segment.Base = p;
            segment.Len = (nuint)buffer.Length;
            return Libc.WriteV(fd, &segment, 1, offset, flags | RwFlags.NoWait);
        }
    }

    private static int Read(int fd, byte* p, int length, long offset, RwFlags flags)
    {
        if (offset < 0)
        {
            return Libc.ReadHere(fd, p, length);
        }

        if (flags == RwFlags.None)
        {
            return Libc.Read(fd, p, length, offset);
        }

        Iovec segment;
        segment.Base = p;
        segment.Len = (nuint)length;
        return Libc.ReadV(fd, &segment, 1, offset, flags);
    }

    private static int Write(int fd, byte* p, int length, long offset, RwFlags flags)
    {
        if (offset < 0)
        {
            return Libc.WriteHere(fd, p, length);
        }

        if (flags == RwFlags.None)
        {
            return Libc.Write(fd, p, length, offset);
        }

        Iovec segment;
        segment.Base = p;
        segment.Len = (nuint)length;
        return Libc.WriteV(fd, &segment, 1, offset, flags);
    }
}
