using Sluice.Engines;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Handles;

/// <summary>Transfers a few segments with one system call on the calling thread.</summary>
internal static unsafe class VectorCall
{
    /// <summary>The maximum number of segments. More segments need an operation.</summary>
    public const int MaxSegments = 16;

    private const int FixedSegments = 4;

    /// <summary>Returns the number of bytes or a negative errno.</summary>
    public static int Transfer(bool isRead, int fd, SegmentCursor cursor, long offset, RwFlags flags)
    {
        ReadOnlySpan<Memory<byte>> segments = cursor.Segments;
        if (segments.Length > FixedSegments)
        {
            // Limited to what one call transfers (MAX_RW_COUNT). An operation transfers the rest.
            _ = cursor.Load(FileAlignment.None);
            return Call(isRead, fd, (Iovec*)cursor.Address, cursor.Count, offset, flags);
        }

        // Pinned locals are free, whereas a MemoryHandle of an array takes 50 ns. The lengths come from the spans, because the memory may
        // return other spans later.
        Span<byte> s0 = At(segments, 0);
        Span<byte> s1 = At(segments, 1);
        Span<byte> s2 = At(segments, 2);
        Span<byte> s3 = At(segments, 3);
        fixed (byte* p0 = s0, p1 = s1, p2 = s2, p3 = s3)
        {
            Iovec* iovecs = stackalloc Iovec[FixedSegments];
            iovecs[0] = new Iovec { Base = p0, Len = (nuint)s0.Length };
            iovecs[1] = new Iovec { Base = p1, Len = (nuint)s1.Length };
            iovecs[2] = new Iovec { Base = p2, Len = (nuint)s2.Length };
            iovecs[3] = new Iovec { Base = p3, Len = (nuint)s3.Length };
            return Call(isRead, fd, iovecs, segments.Length, offset, flags);
        }
    }

    private static int Call(bool isRead, int fd, Iovec* iovecs, int count, long offset, RwFlags flags) =>
        isRead ? Libc.ReadV(fd, iovecs, count, offset, flags) : Libc.WriteV(fd, iovecs, count, offset, flags);

    private static Span<byte> At(ReadOnlySpan<Memory<byte>> segments, int index) =>
        index < segments.Length ? segments[index].Span : default;
}
