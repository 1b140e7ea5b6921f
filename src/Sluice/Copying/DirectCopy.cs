using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Parts of one open file into another past the page cache, with several requests outstanding: on a ring; by threads where there is none,
/// or where the kernel refuses it on the way. Belongs to one thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class DirectCopy : IDisposable
{
    private const int FallbackAlignment = 4096;

    private readonly int _fromFd;
    private readonly int _toFd;
    private readonly int _fromFlags;
    private readonly int _toFlags;
    private readonly AlignedBuffer _memory;
    private CopyRing? _ring;

    private DirectCopy(int fromFd, int toFd, int fromFlags, int toFlags, int alignment, int memoryBytes)
    {
        (_fromFd, _toFd, _fromFlags, _toFlags, Alignment) = (fromFd, toFd, fromFlags, toFlags, alignment);
        _memory = new AlignedBuffer(memoryBytes);

        // A last block is written to its border before it is cut: a copy that is killed between must not show what was in this memory.
        _memory.Span.Clear();
        _ring = CopyRing.TryCreate(_memory, out int errno);
        WhyThreads = _ring is not null ? null : (SluiceEngines.AllowsRings ? null : SluiceEngines.UringReason) ?? WhyNoRing(errno);
    }

    /// <summary>What offsets are multiples of.</summary>
    public int Alignment { get; }

    /// <summary>Why there is no ring; null while there is one.</summary>
    public string? WhyThreads { get; private set; }

    /// <summary>Null where one of the files takes no direct transfers.</summary>
    /// <param name="fromFd">The source.</param>
    /// <param name="toFd">The target.</param>
    /// <param name="blockBytes">The smallest request that there will be.</param>
    /// <param name="memoryBytes">The most bytes that will be in flight.</param>
    public static DirectCopy? TryOpen(int fromFd, int toFd, int blockBytes, int memoryBytes)
    {
        (int from, int to) = (AlignmentOf(fromFd), AlignmentOf(toFd));
        int alignment = from == 0 || to == 0 ? 0 : Math.Max(from, to);

        // Without O_NONBLOCK, under which a ring may answer EAGAIN.
        int fromFlags = Libc.GetFlags(fromFd) & ~PathCalls.NonBlocking;
        int toFlags = Libc.GetFlags(toFd);
        return alignment == 0 || blockBytes % alignment != 0 || Math.Min(fromFlags, toFlags) < 0
            ? null
            : new DirectCopy(fromFd, toFd, fromFlags, toFlags, alignment, memoryBytes);
    }

    /// <summary>
    /// Copies one range; 0, or a negative errno: -EOPNOTSUPP where the files do not become direct, <see cref="CopyErrors.SourceEnded"/>
    /// for a source that ends before its length. Nothing is in flight when this returns, and both files go through the page cache again.
    /// </summary>
    /// <param name="range">It begins at a multiple of the alignment.</param>
    /// <param name="length">The length of the source; what is written behind it in its last block is cut off by the caller.</param>
    /// <param name="depth">The most requests outstanding.</param>
    /// <param name="blockBytes">Bytes of a request.</param>
    /// <param name="copied">Told how many bytes were added; less than none where some are copied anew.</param>
    /// <param name="cancellationToken">Ends the copy with -ECANCELED.</param>
    public int Run(DataRange range, long length, int depth, int blockBytes, Action<long> copied, CancellationToken cancellationToken)
    {
        if (Libc.SetFlags(_fromFd, _fromFlags | Libc.DirectFlag) < 0)
        {
            return -Errno.EOPNOTSUPP;
        }

        // Direct writes into space that is there already run side by side; those that make their own may wait for each other.
        int room = SpaceCalls.Allocate(_toFd, FallocateFlags.None, range.Begin, range.End - range.Begin);

        try
        {
            return room is not (0 or -Errno.EOPNOTSUPP or -Errno.ENOSYS) ? room
                : Libc.SetFlags(_toFd, _toFlags | Libc.DirectFlag) < 0 ? -Errno.EOPNOTSUPP
                : RunDirect(range, length, depth, blockBytes, copied, cancellationToken);
        }
        finally
        {
            _ = Libc.SetFlags(_fromFd, _fromFlags);
            _ = Libc.SetFlags(_toFd, _toFlags);
        }
    }

    /// <summary>Where the source has data from a place on, and the target its length; 0, or a negative errno.</summary>
    public int Find(long begin, long length, string source, out List<DataRange> ranges)
    {
        ranges = DataRange.Find(_fromFd, begin / Alignment * Alignment, length, Alignment, source);
        return PathCalls.SetLength(_toFd, length);
    }

    public void Dispose() => _ring?.Dispose();

    private static string WhyNoRing(int errno) => $"there is no ring (errno {-errno})";

    /// <summary>0 where direct transfers are refused.</summary>
    public static int AlignmentOf(int fd) =>
        Libc.Stat(fd, StatxMask.BasicStats | StatxMask.DioAlign, out Statx stat) == 0 && (stat.Mask & StatxMask.DioAlign) != 0
            ? (int)Math.Max(stat.DioOffsetAlign, stat.DioOffsetAlign == 0 ? 0 : stat.DioMemAlign)
            : FallbackAlignment;

    private int RunDirect(
        DataRange range, long length, int depth, int blockBytes, Action<long> copied, CancellationToken cancellationToken)
    {
        if (_ring is not null)
        {
            long counted = 0;
            int result = _ring.Run(
                _fromFd, _toFd, range.Begin, range.End, length, Alignment, depth, blockBytes, Count, cancellationToken);
            if (_ring.Refusal == 0)
            {
                return result;
            }

            WhyThreads = WhyNoRing(_ring.Refusal);
            _ring.Dispose();
            _ring = null;
            copied(-counted);

            void Count(long bytes)
            {
                counted += bytes;
                copied(bytes);
            }
        }

        return new CopyThreads(_fromFd, _toFd, _memory, Alignment, length, cancellationToken).Run(range, depth, blockBytes, copied);
    }
}
