using System.Buffers;
using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Transfers the bytes of one open file to another, with the method that was specified or the fastest one that works. Blocks the calling
/// thread.
/// </summary>
[SupportedOSPlatform("linux")]
internal sealed class FileTransfer(
    int fromFd, int toFd, string source, string target, in Statx from, CopyOptions options, CopyMeter meter,
    CancellationToken cancellationToken)
{
#if DEBUG
    private const int BlockBytes = 64 * 1024;
    private const long PieceBytes = 256 * 1024;
#else
    private const int BlockBytes = 1024 * 1024;

    /// <summary>The number of bytes between two checks of the cancellation token (0011).</summary>
    private const long PieceBytes = 64 * 1024 * 1024;
#endif

    /// <summary>The unit of the number of blocks in statx(2).</summary>
    private const int BlockUnit = 512;

    private readonly int _blockBytes = (int)options.PieceBytes(BlockBytes);
    private readonly long _callBytes = options.PieceBytes(16 * 1024 * 1024);
    private readonly long _length = (long)from.Size;
    private readonly bool _mayHaveHoles = MayHaveHoles(from);
    private readonly bool _isSmall = IsSmall(from);
    private long _copied;
    private bool _hasLength;
    private CopyMethod _method;
    private string _reason = "";
    private int _depth;

    /// <summary>
    /// The length of the copy, in bytes. It differs from the length of the source for files without a length, such as those in /proc.
    /// </summary>
    private long _copyLength;

    /// <summary>Returns the result of the copy.</summary>
    public CopyResult Result(long resumedBytes, bool isChanged) => new()
    {
        Bytes = _copyLength,
        ResumedBytes = resumedBytes,
        Files = 1,
        ChangedFiles = isChanged ? 1 : 0,
        Method = _method,
        MethodReason = _reason,
        Depth = _depth,
    };

    /// <summary>Copies from <paramref name="begin"/> to the end. The target already has the bytes before it.</summary>
    public void Run(long begin)
    {
        _copyLength = _length;
        bool isAuto = options.Method == CopyMethod.Auto && !_isSmall;
        int result = -Errno.EOPNOTSUPP;
        if (options.Method == CopyMethod.Reflink || (isAuto && begin == 0 && _length > 0))
        {
            result = CopyCalls.Clone(fromFd, toFd);
            Note(CopyMethod.Reflink, "the file system shares the blocks");
        }

        if (options.Method == CopyMethod.Direct)
        {
            Note(CopyMethod.Direct, "");
            _depth = options.RequestsOutstanding;
            result = new DirectCopy(fromFd, toFd, _length, _depth, _blockBytes, Count, cancellationToken).Run(begin, source);
        }

        if (result != 0 && (options.Method == CopyMethod.CopyFileRange || (isAuto && CanTryNext(result))))
        {
            Count(-_copied);
            Note(CopyMethod.CopyFileRange, "the file system does not share blocks");
            result = RunRanges(begin, CopyRange);
        }

        // If a server refuses to copy within itself (CIFS: ENOENT, EACCES), plain reads and writes may still succeed.
        if (result != 0 && (options.Method == CopyMethod.Buffered || (_isSmall && options.Method == CopyMethod.Auto)
            || (isAuto && (CanTryNext(result) || result is -Errno.ENOENT or -Errno.EACCES))))
        {
            Count(-_copied);
            if (_isSmall)
            {
                Note(CopyMethod.Buffered, "the file is small");
                result = CopyBuffered(begin, _length);
                _hasLength = result == 0;
            }
            else
            {
                Note(CopyMethod.Buffered, "the kernel does not copy between these file systems");
                CacheCalls.AdviseSequential(fromFd);
                result = RunRanges(begin, CopyBuffered);
            }
        }

        if (result == CopyErrors.SourceEnded || (result == 0 && _length == 0))
        {
            CopyToEnd(begin);
            return;
        }

        if (result == 0 && _method == CopyMethod.Reflink)
        {
            // If the source was truncated before its blocks were shared, the copy is shorter. A negative value is an error.
            _copyLength = Math.Min(Libc.LengthOf(toFd), _length);
            result = (int)Math.Min(_copyLength, 0);
            meter.Correct(result == 0 ? _copyLength - _length : 0);
        }

        // Sets the length if the file ends with a hole, or if a clone or the last block was longer.
        result = result == 0 && !_hasLength && Libc.LengthOf(toFd) != _copyLength ? PathCalls.SetLength(toFd, _copyLength) : result;
        if (result < 0)
        {
            throw ToException(result);
        }

        // Holes are counted here. If the last block was copied twice, the surplus is subtracted.
        long rest = _copyLength - begin - _copied;
        meter.Add(rest);
        meter.Subtract(Math.Max(-rest, 0));
    }

    /// <summary>The exception for a copy that failed with a negative errno.</summary>
    public Exception ToException(int result) => result switch
    {
        -Errno.ECANCELED when cancellationToken.IsCancellationRequested =>
            new OperationCanceledException($"Copying '{source}' was cancelled.", cancellationToken),
        -Errno.EOPNOTSUPP or -Errno.EINVAL or -Errno.EXDEV or -Errno.ENOTTY or -Errno.ENOSYS when options.Method != CopyMethod.Auto =>
            new IOException($"Copying '{source}' to '{target}' by {options.Method} is not possible here: {PathErrors.Reason(-result)}."),
        _ => PathErrors.Create(result, $"Copying '{source}' to", target),
    };

    /// <summary>Returns true if a file is short enough to be read and written in place of other methods, and has no holes.</summary>
    public static bool IsSmall(in Statx stat) => stat.Size is > 0 and <= CopyWork.MaxSmallBytes && !MayHaveHoles(stat);

    /// <summary>
    /// Returns true if a file has fewer blocks than bytes: it has holes, or its file system packs its bytes or does not report blocks.
    /// </summary>
    private static bool MayHaveHoles(in Statx stat) => stat.Blocks < (stat.Size + BlockUnit - 1) / BlockUnit;

    private static bool CanTryNext(int result) =>
        result is -Errno.EOPNOTSUPP or -Errno.EINVAL or -Errno.EXDEV or -Errno.ENOTTY or -Errno.ENOSYS or -Errno.EPERM or -Errno.EBADF
            or -Errno.ETXTBSY;

    private void Note(CopyMethod method, string reason)
    {
        _method = method;
        _reason = options.Method == CopyMethod.Auto ? reason : "it was asked for";
        _depth = 0;
    }

    private int RunRanges(long begin, Func<long, long, int> copy)
    {
        List<DataRange> pieces = [];
        List<DataRange> ranges = _mayHaveHoles ? DataRange.Find(fromFd, begin, _length, 1, source) : [new DataRange(begin, _length)];
        foreach (DataRange range in ranges)
        {
            for (long at = range.Begin; at < range.End; at += PieceBytes)
            {
                pieces.Add(new DataRange(at, Math.Min(at + PieceBytes, range.End)));
            }
        }

        // A single range that ends at the end of the file determines the length.
        bool isOne = pieces.Count == 1 && pieces[0].End == _length;
        int result = isOne ? 0 : PathCalls.SetLength(toFd, _length);

        // Ranges are copied one after another: threads that write one file through the page cache contend for its lock (ext4, 2 GiB on two
        // cores: 14.8 s of CPU; cp takes 3.6 s).
        for (int i = 0; i < pieces.Count && result == 0; i++)
        {
            result = copy(pieces[i].Begin, pieces[i].End);
        }

        _hasLength = isOne && result == 0;
        return result;
    }

    /// <summary>
    /// Copies until the source ends, for files whose length is not reliable: it is 0 in /proc and 4096 in /sys, and a log may be truncated
    /// while it is copied. If there is a length, no more than that is copied, because a log may grow without end.
    /// </summary>
    private void CopyToEnd(long begin)
    {
        Count(-_copied);
        byte[] buffer = ArrayPool<byte>.Shared.Rent(BlockBytes);
        try
        {
            (long most, long at) = (_length == 0 ? long.MaxValue : _length, begin);
            while (at < most)
            {
                int bytes = TransferCalls.Read(fromFd, buffer.AsSpan(0, (int)Math.Min(_blockBytes, most - at)), at, RwFlags.None);
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
                Note(CopyMethod.Buffered, "the file does not report its length");
            }

            PathErrors.ThrowIfFailed(PathCalls.SetLength(toFd, at), $"Copying '{source}' to", target);
            meter.Correct(at - _length);
            _copyLength = at;
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

            long bytes = CopyCalls.CopyRange(fromFd, toFd, begin, Math.Min(end - begin, _callBytes));
            if (bytes <= 0)
            {
                return bytes == 0 ? CopyErrors.SourceEnded : (int)bytes;
            }

            begin += Cached(begin, bytes);
        }

        return 0;
    }

    private int CopyBuffered(long begin, long end)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent((int)Math.Min(_blockBytes, end - begin));
        try
        {
            while (begin < end)
            {
                if (cancellationToken.IsCancellationRequested)
                {
                    return -Errno.ECANCELED;
                }

                int bytes = TransferCalls.Read(fromFd, buffer.AsSpan(0, (int)Math.Min(_blockBytes, end - begin)), begin, RwFlags.None);
                if (bytes <= 0)
                {
                    return bytes == 0 ? CopyErrors.SourceEnded : bytes;
                }

                int result = WriteAll(buffer.AsSpan(0, bytes), begin);
                if (result < 0)
                {
                    return result;
                }

                begin += Cached(begin, bytes);
            }

            return 0;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    /// <summary>Writes all bytes. Returns 0 or a negative errno.</summary>
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

    /// <summary>Counts bytes that are in the page cache. If the copy is to be durable, starts writing them back.</summary>
    private long Cached(long begin, long bytes)
    {
        Count(bytes);
        if (options.FlushToDisk)
        {
            CacheCalls.StartWriteback(toFd, begin, bytes);
        }

        return bytes;
    }

    /// <summary>Adds copied bytes. A negative number means that these bytes are copied again.</summary>
    private void Count(long bytes)
    {
        _copied += bytes;
        meter.AddMoved(bytes, cancellationToken);
        meter.Subtract(Math.Max(-bytes, 0));
    }
}
