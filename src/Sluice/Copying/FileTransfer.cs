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

    /// <summary>Bytes of the copy: the source's length, but where it says nothing, as that of files of /proc.</summary>
    private long _copyLength;

    /// <summary>What the copy has come to.</summary>
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

    /// <summary>Copies from <paramref name="begin"/> to the end; what is before it is there already.</summary>
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

        // Whatever a server says to a copy within it (CIFS: that there is no such file, or that it may not), plain reads and writes may do.
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
                Note(CopyMethod.Buffered, "the kernel copies nothing between these file systems");
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
            // A source that was cut before its blocks were shared has not more to give; an error is no length.
            _copyLength = Math.Min(Libc.LengthOf(toFd), _length);
            result = (int)Math.Min(_copyLength, 0);
            meter.Correct(result == 0 ? _copyLength - _length : 0);
        }

        // A hole at the end, and what a clone or whole blocks have too much.
        result = result == 0 && !_hasLength && Libc.LengthOf(toFd) != _copyLength ? PathCalls.SetLength(toFd, _copyLength) : result;
        if (result < 0)
        {
            throw ToException(result);
        }

        // Holes take no time, but they are part of the file. A last block that was there already may have been copied once more.
        long rest = _copyLength - begin - _copied;
        meter.Add(rest);
        meter.TakeBack(Math.Max(-rest, 0));
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

        // A single piece that ends where the file does makes its length.
        bool isOne = pieces.Count == 1 && pieces[0].End == _length;
        int result = isOne ? 0 : PathCalls.SetLength(toFd, _length);

        // One after the other: threads that write one file through the page cache spin on its lock (ext4, 2 GiB on two cores: 14.8 s
        // of CPU, where cp takes 3.6).
        for (int i = 0; i < pieces.Count && result == 0; i++)
        {
            result = copy(pieces[i].Begin, pieces[i].End);
        }

        _hasLength = isOne && result == 0;
        return result;
    }

    /// <summary>
    /// Copies what can be read, where the length is not the truth: files of /proc say 0, those of /sys 4096, and a log may be cut while
    /// it is copied. No more than the length, where there is one: a log that grows has no end.
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
                Note(CopyMethod.Buffered, "the file does not tell its length");
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

    /// <summary>These bytes are in the page cache; where the copy is to be durable, the disk begins while the rest is copied.</summary>
    private long Cached(long begin, long bytes)
    {
        Count(bytes);
        if (options.FlushToDisk)
        {
            CacheCalls.StartWriteback(toFd, begin, bytes);
        }

        return bytes;
    }

    /// <summary>So many bytes more are copied; less than none: so many are copied anew.</summary>
    private void Count(long bytes)
    {
        _copied += bytes;
        meter.AddMoved(bytes, cancellationToken);
        meter.TakeBack(Math.Max(-bytes, 0));
    }
}
