using Sluice.Buffers;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// Blocking transfers on a direct handle that are not aligned: whole blocks go direct through an aligned buffer; the edges of a write
/// go through the page cache with O_DIRECT taken off for the call, so that the kernel does the read-modify-write under its own inode
/// lock and the end of file is right to the byte, whatever other processes append meanwhile.
/// </summary>
/// <remarks>
/// <see cref="SluiceHandle.DirectGate"/> keeps the aligned direct writes of this process out while an edge is written: a direct write
/// in flight and a cached write into the same page must not meet (open(2), NOTES).
/// </remarks>
internal static unsafe class DirectTransfer
{
#if DEBUG
    /// <summary>The largest bounce buffer, in bytes: small in Debug builds, so that every test walks the seams.</summary>
    public const int MostBounceBytes = 16 * 1024;
#else
    /// <summary>The largest bounce buffer, in bytes; longer transfers go through it piece by piece.</summary>
    public const int MostBounceBytes = 1024 * 1024;
#endif

    /// <summary>Reads until the buffer is full or the file ends; bytes, or a negative errno when nothing was read.</summary>
    public static int Read(SluiceHandle handle, Span<byte> buffer, long offset)
    {
        FileAlignment alignment = handle.Alignment;
        fixed (byte* p = buffer)
        {
            if (alignment.IsAligned((nint)p, offset, buffer.Length))
            {
                return ReadBlocks(handle, p, buffer.Length, offset);
            }
        }

        long start = offset & -(long)alignment.Offset;
        long end = (offset + buffer.Length + alignment.Length - 1) & -(long)alignment.Length;
        AlignedBuffer bounce = AlignedBufferPool.Rent((int)Math.Min(end - start, MostBounceBytes));
        try
        {
            int done = 0;
            while (done < buffer.Length)
            {
                long at = (offset + done) & -(long)alignment.Offset;
                int skip = (int)(offset + done - at);
                int length = (int)Math.Min(end - at, bounce.Length);
                int bytes = ReadBlocks(handle, (byte*)bounce.Address, length, at);
                if (bytes < 0)
                {
                    return done > 0 ? done : bytes;
                }

                int got = Math.Clamp(bytes - skip, 0, buffer.Length - done);
                bounce.Span.Slice(skip, got).CopyTo(buffer[done..]);
                done += got;
                if (bytes < length)
                {
                    break;
                }
            }

            return done;
        }
        finally
        {
            AlignedBufferPool.Return(bounce);
        }
    }

    /// <summary>
    /// An aligned direct read; through the page cache where that fails with EIO. xfs answers so when it meets space that a cached
    /// write, such as an edge's, has reserved and not yet placed, behind the end of file too (fs/iomap/direct-io.c, IOMAP_DELALLOC).
    /// </summary>
    public static int ReadBlocks(SluiceHandle handle, byte* address, int length, long offset)
    {
        int bytes = Libc.Read(handle.Descriptor, address, length, offset);
        if (bytes != -Errno.EIO || handle.DirectGate is not { } gate || !handle.FailsBesideCachedWrites)
        {
            return bytes;
        }

        gate.EnterExclusive();
        try
        {
            handle.SwitchDirect(on: false);
            try
            {
                return Libc.Read(handle.Descriptor, address, length, offset);
            }
            finally
            {
                handle.SwitchDirect(on: true);
            }
        }
        finally
        {
            gate.ExitExclusive();
        }
    }

    /// <summary>Writes everything, or as much as was written before an error; a negative errno when nothing was.</summary>
    public static int Write(SluiceHandle handle, ReadOnlySpan<byte> buffer, long offset)
    {
        FileAlignment alignment = handle.Alignment;
        long end = offset + buffer.Length;
        long firstBlock = (offset + alignment.Offset - 1) & -(long)alignment.Offset;
        long lastBlock = end & -(long)alignment.Offset;
        if (firstBlock < offset || firstBlock >= lastBlock)
        {
            // Less than a block; or a place so far out that rounding up overflows, which the kernel is to judge.
            return WriteEdge(handle, buffer, offset);
        }

        int done = 0;
        if (firstBlock > offset)
        {
            int head = (int)(firstBlock - offset);
            int bytes = WriteEdge(handle, buffer[..head], offset);
            if (bytes != head)
            {
                return bytes;
            }

            done = head;
        }

        int middle = (int)(lastBlock - firstBlock);
        int written = WriteBlocks(handle, buffer.Slice(done, middle), firstBlock);
        if (written != middle)
        {
            return written > 0 ? done + written : done > 0 ? done : written;
        }

        done += middle;
        if (done < buffer.Length)
        {
            int bytes = WriteEdge(handle, buffer[done..], lastBlock);
            done += Math.Max(bytes, 0);
        }

        return done;
    }

    public static int ReadVector(SluiceHandle handle, Iovec* segments, int count, long offset)
    {
        int total = 0;
        for (int i = 0; i < count; i++)
        {
            Span<byte> segment = new(segments[i].Base, (int)segments[i].Len);
            int bytes = Read(handle, segment, offset + total);
            if (bytes < 0)
            {
                return total > 0 ? total : bytes;
            }

            total += bytes;
            if (bytes < segment.Length)
            {
                break;
            }
        }

        return total;
    }

    /// <summary>Gathers the segments into aligned memory, so that their inner borders cost no read-modify-write.</summary>
    public static int WriteVector(SluiceHandle handle, Iovec* segments, int count, long offset)
    {
        AlignedBuffer gather = AlignedBufferPool.Rent(MostBounceBytes);
        try
        {
            int total = 0;
            int filled = 0;
            for (int i = 0; i < count; i++)
            {
                ReadOnlySpan<byte> segment = new(segments[i].Base, (int)segments[i].Len);
                while (!segment.IsEmpty)
                {
                    int take = Math.Min(segment.Length, gather.Length - filled);
                    segment[..take].CopyTo(gather.Span[filled..]);
                    segment = segment[take..];
                    filled += take;
                    if (filled == gather.Length && !Flush(ref total, ref filled, out int failed))
                    {
                        return failed;
                    }
                }
            }

            return filled == 0 || Flush(ref total, ref filled, out int error) ? total : error;
        }
        finally
        {
            AlignedBufferPool.Return(gather);
        }

        bool Flush(ref int total, ref int filled, out int result)
        {
            int bytes = Write(handle, gather.Span[..filled], offset + total);
            total += Math.Max(bytes, 0);
            bool whole = bytes == filled;
            filled = 0;
            result = total > 0 ? total : bytes;
            return whole;
        }
    }

    /// <summary>Whole blocks at an aligned offset, from memory that need not be aligned.</summary>
    private static int WriteBlocks(SluiceHandle handle, ReadOnlySpan<byte> buffer, long offset)
    {
        handle.DirectGate!.EnterShared();
        AlignedBuffer? bounce = null;
        try
        {
            fixed (byte* p = buffer)
            {
                if (handle.Alignment.IsAligned((nint)p, offset, buffer.Length))
                {
                    return Libc.Write(handle.Descriptor, p, buffer.Length, offset);
                }
            }

            bounce = AlignedBufferPool.Rent(Math.Min(buffer.Length, MostBounceBytes));
            int done = 0;
            while (done < buffer.Length)
            {
                int length = Math.Min(buffer.Length - done, bounce.Length);
                buffer.Slice(done, length).CopyTo(bounce.Span);
                int bytes = Libc.Write(handle.Descriptor, (byte*)bounce.Address, length, offset + done);
                if (bytes < 0)
                {
                    return done > 0 ? done : bytes;
                }

                done += bytes;
                if (bytes < length)
                {
                    break;
                }
            }

            return done;
        }
        finally
        {
            if (bounce is not null)
            {
                AlignedBufferPool.Return(bounce);
            }

            handle.DirectGate!.ExitShared();
        }
    }

    /// <summary>Less than a block, through the page cache. Reads that run meanwhile on this descriptor go through it too, and are right.</summary>
    private static int WriteEdge(SluiceHandle handle, ReadOnlySpan<byte> buffer, long offset)
    {
        handle.DirectGate!.EnterExclusive();
        try
        {
            int fd = handle.Descriptor;
            handle.SwitchDirect(on: false);
            try
            {
                return LinuxTransfer.Write(fd, buffer, offset, RwFlags.None);
            }
            finally
            {
                handle.SwitchDirect(on: true);
            }
        }
        finally
        {
            handle.DirectGate!.ExitExclusive();
        }
    }
}
