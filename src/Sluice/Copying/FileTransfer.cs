using System.Buffers;
using System.Runtime.Versioning;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>Copies the content of an open file to another, by the requested method or the cheapest one. Blocks its thread.</summary>
[SupportedOSPlatform("linux")]
internal sealed class FileTransfer(
    int fromFd, int toFd, string source, string target, in Statx from, CopyOptions options, CopyMeter meter,
    CancellationToken cancellationToken)
{
    /// <summary>The result of a method that found the end of the source before its length. Not an errno: the lowest is -4095.</summary>
    public const int SourceEnded = -10_001;

#if DEBUG
    private const int BlockBytes = 64 * 1024;
#else
    private const int BlockBytes = 1024 * 1024;
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

    /// <summary>The length of the copy: the reported length of the source, or the number of bytes that it really had.</summary>
    private long _copyLength;

    public long Length => _copyLength;

    /// <summary>Gets the result of the copy of this file.</summary>
    public CopyResult Result(long resumedBytes, bool isChanged) => new()
    {
        Bytes = _copyLength,
        ResumedBytes = resumedBytes,
        Files = 1,
        ChangedFiles = isChanged ? 1 : 0,
        Method = _method,
        MethodReason = _reason,
    };

    /// <summary>Copies from <paramref name="begin"/> to the end. The target already contains the bytes before it.</summary>
    /// <exception cref="IOException">The copy failed.</exception>
    public void Run(long begin)
    {
        _copyLength = _length;
        int result = options.Method switch
        {
            CopyMethod.Reflink => Clone(),
            CopyMethod.Direct => CopyDirect(begin),
            CopyMethod.CopyFileRange => CopyRanges(begin),
            CopyMethod.Buffered => CopyBuffered(begin),
            _ => CopyByCheapestMethod(begin),
        };
        if (result == SourceEnded || (result == 0 && _length == 0))
        {
            CopyToEnd(begin);
            return;
        }

        if (result == 0 && _method == CopyMethod.Reflink)
        {
            // The source may have been truncated before its blocks were shared. A negative length is an errno.
            _copyLength = Math.Min(Libc.LengthOf(toFd), _length);
            result = (int)Math.Min(_copyLength, 0);
            meter.Correct(result == 0 ? _copyLength - _length : 0);
        }

        // Holes at the end are added; what a clone or whole blocks wrote beyond the length is cut off.
        if (result == 0 && !_hasLength && Libc.LengthOf(toFd) != _copyLength)
        {
            result = PathCalls.SetLength(toFd, _copyLength);
        }

        if (result < 0)
        {
            throw ToException(result);
        }

        // Holes count as copied. A direct copy may have copied the last block of an earlier copy once more.
        long rest = _copyLength - begin - _copied;
        meter.Add(rest);
        meter.Subtract(Math.Max(-rest, 0));
    }

    /// <summary>Returns true if a file is short enough to be read and written in place of other methods, and has no holes.</summary>
    public static bool IsSmall(in Statx stat) => stat.Size is > 0 and <= CopyWork.MaxSmallBytes && !MayHaveHoles(stat);

    /// <summary>
    /// Returns true if a file has fewer blocks than bytes: it has holes, or its file system packs its bytes or does not report blocks.
    /// </summary>
    private static bool MayHaveHoles(in Statx stat) => stat.Blocks < (stat.Size + BlockUnit - 1) / BlockUnit;

    private static bool IsUnsupported(int result) =>
        result is -Errno.EOPNOTSUPP or -Errno.EINVAL or -Errno.EXDEV or -Errno.ENOTTY or -Errno.ENOSYS;

    private static bool CanTryNext(int result) => IsUnsupported(result) || result is -Errno.EPERM or -Errno.EBADF or -Errno.ETXTBSY;

    private int CopyByCheapestMethod(long begin)
    {
        if (_isSmall)
        {
            return CopyBuffered(begin);
        }

        int result = begin == 0 && _length > 0 ? Clone() : -Errno.EOPNOTSUPP;
        if (CanTryNext(result))
        {
            result = CopyRanges(begin);
        }

        // CIFS may answer ENOENT or EACCES to a copy on the server, although the file can be read and written.
        return CanTryNext(result) || result is -Errno.ENOENT or -Errno.EACCES ? CopyBuffered(begin) : result;
    }

    private int Clone()
    {
        Begin(CopyMethod.Reflink, "the file system shares the blocks");
        return CopyCalls.Clone(fromFd, toFd);
    }

    private int CopyDirect(long begin)
    {
        Begin(CopyMethod.Direct, "");
        return new DirectCopy(fromFd, toFd, _length, options.RequestsOutstanding, _blockBytes, Count, cancellationToken).Run(begin, source);
    }

    private int CopyRanges(long begin)
    {
        Begin(CopyMethod.CopyFileRange, "the file system does not share blocks");
        return CopyData(begin, CopyRange);
    }

    private int CopyBuffered(long begin)
    {
        Begin(CopyMethod.Buffered, _isSmall ? "the file is small" : "the kernel does not copy between these file systems");
        if (!_isSmall)
        {
            CacheCalls.AdviseSequential(fromFd);
        }

        return CopyData(begin, (first, end) => ReadAndWrite(first, end) < end ? SourceEnded : 0);
    }

    /// <summary>Begins to copy by a method. Bytes that an earlier method has copied are copied again.</summary>
    private void Begin(CopyMethod method, string reason)
    {
        _method = method;
        _reason = options.Method == CopyMethod.Auto ? reason : "it was asked for";
        Restart();
    }

    private void Restart()
    {
        meter.Subtract(_copied);
        _copied = 0;
    }

    /// <summary>Copies the parts of the file that are not holes. Returns 0, a negative errno, or <see cref="SourceEnded"/>.</summary>
    private int CopyData(long begin, Func<long, long, int> copy)
    {
        List<DataRange> ranges = _mayHaveHoles ? DataRange.Find(fromFd, begin, _length, 1, source) : [new DataRange(begin, _length)];

        // A single range that ends at the end of the file sets its length.
        bool isOne = ranges is [var only] && only.Begin < only.End && only.End == _length;
        int result = isOne ? 0 : PathCalls.SetLength(toFd, _length);

        // One thread copies, because threads that write one file through the page cache spin on its lock (ext4, 2 GiB on two cores: 14.8 s
        // of CPU, where cp takes 3.6).
        for (int i = 0; i < ranges.Count && result == 0; i++)
        {
            result = copy(ranges[i].Begin, ranges[i].End);
        }

        _hasLength = isOne && result == 0;
        return result;
    }

    /// <summary>
    /// Copies as many bytes as can be read, because the length is not true: files of /proc have the length 0, those of /sys 4096, and a
    /// log may be truncated during its copy. Stops at the length, unless it is 0: a log that grows has no end.
    /// </summary>
    private void CopyToEnd(long begin)
    {
        Restart();
        _copyLength = ReadAndWrite(begin, _length == 0 ? long.MaxValue : _length);
        if (_copyLength > begin)
        {
            _method = CopyMethod.Buffered;
            _reason = "the file did not have the length that it reported";
        }

        PathErrors.ThrowIfFailed(PathCalls.SetLength(toFd, _copyLength), $"Copying '{source}' to", target);
        meter.Correct(_copyLength - _length);
    }

    private int CopyRange(long begin, long end)
    {
        while (begin < end)
        {
            ThrowIfCanceled();
            long bytes = CopyCalls.CopyRange(fromFd, toFd, begin, Math.Min(end - begin, _callBytes));
            if (bytes <= 0)
            {
                return bytes == 0 ? SourceEnded : (int)bytes;
            }

            Copied(begin, bytes);
            begin += bytes;
        }

        return 0;
    }

    /// <summary>Copies up to <paramref name="end"/> or the end of the source. Returns the offset that was reached.</summary>
    /// <exception cref="IOException">Reading or writing failed.</exception>
    private long ReadAndWrite(long begin, long end)
    {
        byte[] buffer = ArrayPool<byte>.Shared.Rent((int)Math.Min(_blockBytes, end - begin));
        try
        {
            while (begin < end)
            {
                ThrowIfCanceled();
                int bytes = TransferCalls.Read(fromFd, buffer.AsSpan(0, (int)Math.Min(_blockBytes, end - begin)), begin, RwFlags.None);
                PathErrors.ThrowIfFailed(bytes, "Reading the source", source);
                if (bytes == 0)
                {
                    break;
                }

                Write(buffer.AsSpan(0, bytes), begin);
                Copied(begin, bytes);
                begin += bytes;
            }

            return begin;
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(buffer);
        }
    }

    private void Write(ReadOnlySpan<byte> bytes, long offset)
    {
        for (int done = 0; done < bytes.Length;)
        {
            int written = TransferCalls.Write(toFd, bytes[done..], offset + done, RwFlags.None);
            if (written <= 0)
            {
                throw ToException(written == 0 ? -Errno.EIO : written);
            }

            done += written;
        }
    }

    /// <summary>Counts copied bytes. If the copy is to be durable, begins to write them to the disk.</summary>
    private void Copied(long begin, long bytes)
    {
        Count(bytes);
        if (options.FlushToDisk)
        {
            CacheCalls.StartWriteback(toFd, begin, bytes);
        }
    }

    private void Count(long bytes)
    {
        _copied += bytes;
        meter.AddMoved(bytes, cancellationToken);
    }

    private void ThrowIfCanceled()
    {
        if (cancellationToken.IsCancellationRequested)
        {
            throw ToException(-Errno.ECANCELED);
        }
    }

    private Exception ToException(int result) =>
        result == -Errno.ECANCELED && cancellationToken.IsCancellationRequested
            ? new OperationCanceledException($"Copying '{source}' was cancelled.", cancellationToken)
        : options.Method != CopyMethod.Auto && IsUnsupported(result)
            ? new IOException($"Copying '{source}' to '{target}' by {options.Method} is not possible here: {PathErrors.Reason(-result)}.")
        : PathErrors.Create(result, $"Copying '{source}' to", target);
}
