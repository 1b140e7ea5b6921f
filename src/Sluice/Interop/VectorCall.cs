using System.Buffers;
using System.Diagnostics;
using Sluice.Uring.Abi;

namespace Sluice.Interop;

/// <summary>
/// A few segments in one system call on the caller's thread: the pins and the iovec array live on the stack, for the call only.
/// </summary>
internal static unsafe class VectorCall
{
    /// <summary>More segments than this take the way through an operation.</summary>
    public const int MostSegments = 16;

    private const int FixedSegments = 4;

    public static int Read(int fd, IReadOnlyList<Memory<byte>> buffers, long offset, RwFlags flags, out long total)
    {
        Iovec* iovecs = stackalloc Iovec[MostSegments];
        Pins pins = default;
        int count = buffers.Count;
        Debug.Assert(count <= MostSegments, "the caller has looked");
        total = 0;
        if (count <= FixedSegments)
        {
            // A pinned local costs nothing, a MemoryHandle of an array 50 ns.
            fixed (byte* p0 = At(buffers, 0), p1 = At(buffers, 1), p2 = At(buffers, 2), p3 = At(buffers, 3))
            {
                byte** addresses = stackalloc byte*[FixedSegments] { p0, p1, p2, p3 };
                for (int i = 0; i < count; i++)
                {
                    iovecs[i].Base = addresses[i];
                    iovecs[i].Len = (nuint)buffers[i].Length;
                    total += buffers[i].Length;
                }

                return Libc.ReadV(fd, iovecs, count, offset, flags);
            }
        }

        try
        {
            for (int i = 0; i < count; i++)
            {
                Memory<byte> buffer = buffers[i];
                pins[i] = buffer.Pin();
                iovecs[i].Base = (byte*)pins[i].Pointer;
                iovecs[i].Len = (nuint)buffer.Length;
                total += buffer.Length;
            }

            return Libc.ReadV(fd, iovecs, count, offset, flags);
        }
        finally
        {
            Release(ref pins, count);
        }
    }

    public static int Write(int fd, IReadOnlyList<ReadOnlyMemory<byte>> buffers, long offset, RwFlags flags, out long total)
    {
        Iovec* iovecs = stackalloc Iovec[MostSegments];
        Pins pins = default;
        int count = buffers.Count;
        Debug.Assert(count <= MostSegments, "the caller has looked");
        total = 0;
        if (count <= FixedSegments)
        {
            fixed (byte* p0 = At(buffers, 0), p1 = At(buffers, 1), p2 = At(buffers, 2), p3 = At(buffers, 3))
            {
                byte** addresses = stackalloc byte*[FixedSegments] { p0, p1, p2, p3 };
                for (int i = 0; i < count; i++)
                {
                    iovecs[i].Base = addresses[i];
                    iovecs[i].Len = (nuint)buffers[i].Length;
                    total += buffers[i].Length;
                }

                return Libc.WriteV(fd, iovecs, count, offset, flags);
            }
        }

        try
        {
            for (int i = 0; i < count; i++)
            {
                ReadOnlyMemory<byte> buffer = buffers[i];
                pins[i] = buffer.Pin();
                iovecs[i].Base = (byte*)pins[i].Pointer;
                iovecs[i].Len = (nuint)buffer.Length;
                total += buffer.Length;
            }

            return Libc.WriteV(fd, iovecs, count, offset, flags);
        }
        finally
        {
            Release(ref pins, count);
        }
    }

    private static ReadOnlySpan<byte> At(IReadOnlyList<Memory<byte>> buffers, int index) =>
        index < buffers.Count ? buffers[index].Span : default;

    private static ReadOnlySpan<byte> At(IReadOnlyList<ReadOnlyMemory<byte>> buffers, int index) =>
        index < buffers.Count ? buffers[index].Span : default;

    private static void Release(ref Pins pins, int count)
    {
        for (int i = 0; i < count; i++)
        {
            pins[i].Dispose();
        }
    }

    [System.Runtime.CompilerServices.InlineArray(MostSegments)]
    private struct Pins
    {
        private MemoryHandle _first;
    }
}
