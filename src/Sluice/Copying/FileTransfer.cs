using System.Buffers;
using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Gets the bytes of one open file into another, by the cheapest way that works, or the one that was asked for. Blocks its thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class FileTransfer(
    int fromFd,
    int toFd,
    string source,
    string target,
    long length,
    CopyOptions options,
    CopyMeter meter,
    CancellationToken cancellationToken)
{
#if DEBUG
    private const int BlockBytes = 64 * 1024;
    private const long PieceBytes = 256 * 1024;
    private const long MinDirectCachedBytes = 1024 * 1024;
#else
    private const int BlockBytes = Tuning.FileTransferBlockBytes;
    private const long PieceBytes = Tuning.FileTransferPieceBytes;

    /// <summary>What is little beside the memory is copied sooner through the page cache, which writes it to the disk later.</summary>
    private static readonly long MinDirectCachedBytes =
        Math.Clamp(GC.GetGCMemoryInfo().TotalAvailableMemoryBytes / 16, 32L << 20, 1L << 30);
#endif

    /// <summary>How much sooner direct pays where the bytes must be on the disk in the end.</summary>
    private const int DurableShare = Tuning.FileTransferDurableShare;

    private const long MaxBytesPerCall = 16 * 1024 * 1024;
    private const int FallbackAlignment = 4096;
    private const int CacheProbes = Tuning.FileTransferCacheProbes;
    private long _copied;

    public CopyMethod Method { get; private set; }

    public string Reason { get; private set; } = "";

    public int Depth { get; private set; }

    /// <summary>Bytes of the copy: the source's length, but where it says nothing, as that of files of /proc.</summary>
    public long Length { get; private set; }

    /// <summary>Copies from <paramref name="begin"/> to the end; what is before it is there already.</summary>
    public void Run(long begin)
    {
        Length = length;
        bool isAuto = options.Method == CopyMethod.Auto;
        bool isDirectRefused = false;
        int result = -Errno.EOPNOTSUPP;
        if (options.Method == CopyMethod.Reflink || (isAuto && begin == 0 && length > 0))
        {
            result = CopyCalls.Clone(fromFd, toFd);
            Note(CopyMethod.Reflink, "the file system shares the blocks");
        }

        if (result != 0 && (options.Method == CopyMethod.Direct || (isAuto && IsWorthDirect())))
        {
            result = RunDirect(begin);
            isDirectRefused = isAuto && CanTryNext(result);
        }

        if (result != 0 && (options.Method == CopyMethod.CopyFileRange || (isAuto && CanTryNext(result))))
        {
            TakeBack();
            Note(
                CopyMethod.CopyFileRange,
                isDirectRefused ? "direct I/O is refused here"
                : length < MinDirectBytes ? "the file is small beside the memory"
                : "the file is in memory");
            result = RunRanges(begin, CopyRange);
        }

        // Whatever a server says to a copy within it (CIFS: that there is no such file, or that it may not), plain reads and writes may do.
        if (result != 0 && (options.Method == CopyMethod.Buffered
            || (isAuto && (CanTryNext(result) || result is -Errno.ENOENT or -Errno.EACCES))))
        {
            TakeBack();
            Note(CopyMethod.Buffered, "the file systems copy nothing between them");
            CopyCalls.AdviseSequential(fromFd);
            result = RunRanges(begin, CopyBuffered);
        }

        if (result == CopyErrors.SourceEnded || (result == 0 && length == 0))
        {
            CopyToEnd(begin);
            return;
        }

        if (result == 0 && Method == CopyMethod.Reflink)
        {
            // A source that was cut before its blocks were shared has not more to give.
            Length = Math.Clamp(Libc.LengthOf(toFd), 0, length);
            meter.Correct(Length - length);
        }

        result = result == 0 ? PathCalls.SetLength(toFd, Length) : result;
        if (result < 0)
        {
            throw ToException(result);
        }

        // Holes take no time, but they are part of the file. A last block that was there already may have been copied once more.
        long rest = Length - begin - _copied;
        meter.Add(rest);
        meter.TakeBack(Math.Max(-rest, 0));
    }

    /// <summary>The exception for a copy that failed with a negative errno.</summary>
    public Exception ToException(int result) => result switch
    {
        -Errno.ECANCELED when cancellationToken.IsCancellationRequested =>
            new OperationCanceledException($"Copying '{source}' was cancelled.", cancellationToken),
        -Errno.EOPNOTSUPP or -Errno.EINVAL or -Errno.EXDEV or -Errno.ENOTTY or -Errno.ENOSYS when options.Method != CopyMethod.Auto =>
            new IOException($"Copying '{source}' to '{target}' by {options.Method} is not possible here (errno {-result})."),
        _ => PathErrors.Create(result, $"Copying '{source}' to", target),
    };

    private static bool CanTryNext(int result) =>
        result is -Errno.EOPNOTSUPP or -Errno.EINVAL or -Errno.EXDEV or -Errno.ENOTTY or -Errno.ENOSYS or -Errno.EPERM or -Errno.EBADF
            or -Errno.ETXTBSY;

    private void Note(CopyMethod method, string reason)
    {
        Method = method;
        Reason = options.Method == CopyMethod.Auto ? reason : "it was asked for";
        Depth = 0;
    }

    private long MinDirectBytes => options.FlushToDisk ? MinDirectCachedBytes / DurableShare : MinDirectCachedBytes;

    private bool IsWorthDirect() => length >= MinDirectBytes && !IsMostlyCached();

    /// <summary>Whether most of some places spread over the file can be read without waiting.</summary>
    private bool IsMostlyCached()
    {
        int cached = 0;
        Span<byte> one = stackalloc byte[1];
        for (int i = 0; i < CacheProbes; i++)
        {
            cached += TransferCalls.ReadNoWait(fromFd, one, length / CacheProbes * i, RwFlags.None) == 1 ? 1 : 0;
        }

        return cached > CacheProbes / 2;
    }

    private int RunDirect(long begin)
    {
        (int from, int to) = (AlignmentOf(fromFd), AlignmentOf(toFd));
        int alignment = from == 0 || to == 0 ? 0 : Math.Max(from, to);
        // Without O_NONBLOCK, under which a ring may answer EAGAIN.
        int fromFlags = Libc.GetFlags(fromFd) & ~PathCalls.NonBlocking;
        int toFlags = Libc.GetFlags(toFd);
        if (alignment == 0 || BlockBytes % alignment != 0 || Math.Min(fromFlags, toFlags) < 0
            || Libc.SetFlags(fromFd, fromFlags | Libc.DirectFlag) < 0)
        {
            return -Errno.EOPNOTSUPP;
        }

        int result = Libc.SetFlags(toFd, toFlags | Libc.DirectFlag) < 0 ? -Errno.EOPNOTSUPP : 0;
        if (result == 0)
        {
            long first = begin / alignment * alignment;
            List<DataRange> ranges = DataRange.Find(fromFd, first, length, alignment, source);
            result = MakeRoom(ranges);
            result = result == 0 ? RunDirectRanges(ranges, alignment) : result;
        }

        _ = Libc.SetFlags(fromFd, fromFlags);
        _ = Libc.SetFlags(toFd, toFlags);
        return result;
    }

    /// <summary>By a ring; by threads where there is none, or where the kernel refuses it on the way.</summary>
    private int RunDirectRanges(List<DataRange> ranges, int alignment)
    {
        const string why = "the file is large and not in memory";
        int result;
        using (CopyRing? ring = CopyRing.TryCreate(options.Depth, BlockBytes, out result))
        {
            if (ring is not null)
            {
                Note(CopyMethod.Direct, why);
                Depth = options.Depth;
                for (int i = 0; i < ranges.Count && result == 0; i++)
                {
                    result = ring.Run(
                        fromFd, toFd, ranges[i].Begin, ranges[i].End, length, alignment, Count, cancellationToken);
                }

                if (ring.Refusal == 0)
                {
                    return result;
                }

                TakeBack();
            }
        }

        string refusal = (SluiceEngines.AllowsRings ? null : SluiceEngines.UringReason) ?? $"there is no ring (errno {-result})";
        Note(CopyMethod.Direct, why);
        Reason += $"; by threads: {refusal}";
        Depth = options.Depth;
        CopyThreads threads = new(fromFd, toFd, BlockBytes, alignment, length, ranges, cancellationToken);
        return threads.Run(options.Depth, Count);
    }

    /// <summary>0 where direct transfers are refused.</summary>
    private static int AlignmentOf(int fd) =>
        Libc.Stat(fd, StatxMask.BasicStats | StatxMask.DioAlign, out Statx stat) == 0 && (stat.Mask & StatxMask.DioAlign) != 0
            ? (int)Math.Max(stat.DioOffsetAlign, stat.DioOffsetAlign == 0 ? 0 : stat.DioMemAlign)
            : FallbackAlignment;

    /// <summary>Direct writes into space that is there already run side by side; those that extend a file wait for each other.</summary>
    private int MakeRoom(List<DataRange> ranges)
    {
        int result = PathCalls.SetLength(toFd, length);
        foreach (DataRange range in ranges)
        {
            if (result == 0)
            {
                result = Libc.Allocate(toFd, FallocateFlags.None, range.Begin, range.End - range.Begin);
                result = result is -Errno.EOPNOTSUPP or -Errno.ENOSYS ? 0 : result;
            }
        }

        return result;
    }

    private int RunRanges(long begin, Func<long, long, int> copy)
    {
        int result = PathCalls.SetLength(toFd, length);
        if (result < 0)
        {
            return result;
        }

        List<DataRange> pieces = [];
        foreach (DataRange range in DataRange.Find(fromFd, begin, length, 1, source))
        {
            for (long at = range.Begin; at < range.End; at += PieceBytes)
            {
                pieces.Add(new DataRange(at, Math.Min(at + PieceBytes, range.End)));
            }
        }

        // One after the other: threads that write one file through the page cache spin on its lock (ext4, 2 GiB on two cores: 14.8 s
        // of CPU, where cp takes 3.6). What cuts a large file over several requests is the direct way.
        for (int i = 0; i < pieces.Count && result == 0; i++)
        {
            result = copy(pieces[i].Begin, pieces[i].End);
        }

        return result;
    }

    /// <summary>
    /// Copies what can be read, where the length is not the truth: files of /proc say 0, those of /sys 4096, and a log may be cut while
    /// it is copied. No more than the length, where there is one: a log that grows has no end.
    /// </summary>
    private void CopyToEnd(long begin)
    {
        TakeBack();
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            long most = length == 0 ? long.MaxValue : length;
            long at = begin;
            while (at < most)
            {
                int bytes = TransferCalls.Read(fromFd, buffer.AsSpan(0, (int)Math.Min(BlockBytes, most - at)), at, RwFlags.None);
                PathErrors.ThrowIfFailed(Math.Min(bytes, 0), "Reading the source", source);
                if (bytes == 0)
                {
                    break;
                }

                cancellationToken.ThrowIfCancellationRequested();
                int result = WriteAll(buffer.AsSpan(0, bytes), at);
                if (result < 0)
                {
                    throw ToException(result);
                }

                at += bytes;
                Count(bytes);
                Note(CopyMethod.Buffered, "the file does not tell its length");
            }

            PathErrors.ThrowIfFailed(PathCalls.SetLength(toFd, at), $"Copying '{source}' to", target);
            meter.Correct(at - length);
            Length = at;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private int CopyRange(long begin, long end)
    {
        while (begin < end)
        {
            if (cancellationToken.IsCancellationRequested)
            {
                return -Errno.ECANCELED;
            }

            long bytes = CopyCalls.CopyRange(fromFd, toFd, begin, Math.Min(end - begin, MaxBytesPerCall));
            if (bytes <= 0)
            {
                return bytes == 0 ? CopyErrors.SourceEnded : (int)bytes;
            }

            begin += bytes;
            Count(bytes);
        }

        return 0;
    }

    private int CopyBuffered(long begin, long end)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            while (begin < end)
            {
                if (cancellationToken.IsCancellationRequested)
                {
                    return -Errno.ECANCELED;
                }

                int bytes = TransferCalls.Read(fromFd, buffer.AsSpan(0, (int)Math.Min(BlockBytes, end - begin)), begin, RwFlags.None);
                if (bytes <= 0)
                {
                    return bytes == 0 ? CopyErrors.SourceEnded : bytes;
                }

                int result = WriteAll(buffer.AsSpan(0, bytes), begin);
                if (result < 0)
                {
                    return result;
                }

                begin += bytes;
                Count(bytes);
            }

            return 0;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>0, or a negative errno.</summary>
    private int WriteAll(ReadOnlySpan<byte> bytes, long offset)
    {
        for (int done = 0; done < bytes.Length;)
        {
            int written = TransferCalls.Write(toFd, bytes[done..], offset + done, RwFlags.None);
            if (written <= 0)
            {
                return written == 0 ? -Errno.EIO : written;
            }

            done += written;
        }

        return 0;
    }

    private void Count(long bytes)
    {
        Interlocked.Add(ref _copied, bytes);
        meter.Add(bytes);
    }
    /// <summary>What was copied is being copied anew.</summary>
    private void TakeBack()
    {
        meter.TakeBack(_copied);
        _copied = 0;
    }
}
