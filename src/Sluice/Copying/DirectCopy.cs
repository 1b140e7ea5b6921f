using System.Runtime.Versioning;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Copying;

/// <summary>
/// Copies one open file into another with direct I/O and several requests outstanding: the calling thread and others, which end with the
/// copy, each read a block and write it from the same buffer.
/// </summary>
/// <param name="fromFd">The source.</param>
/// <param name="toFd">The target.</param>
/// <param name="length">The length of the source. The caller truncates the target to it, because the last block is written whole.</param>
/// <param name="depth">The number of threads.</param>
/// <param name="blockBytes">The length of a request in bytes.</param>
/// <param name="copied">Called on the calling thread with the number of bytes added since the last call.</param>
/// <param name="cancellationToken">Ends the copy with -ECANCELED.</param>
[SupportedOSPlatform("linux")]
internal sealed class DirectCopy(
    int fromFd, int toFd, long length, int depth, int blockBytes, Action<long> copied, CancellationToken cancellationToken)
{
    private const int FallbackAlignment = 4096;

    private int _alignment;
    private long _next;
    private long _end;
    private long _unreported;
    private int _error;

    /// <summary>Copies the data from <paramref name="begin"/> on; holes are left out.</summary>
    /// <returns>
    /// 0, or a negative errno: -EOPNOTSUPP if a file does not support direct I/O, <see cref="FileTransfer.SourceEnded"/> if the source ends
    /// before its length. When this method returns, no request is outstanding and the files use the page cache again.
    /// </returns>
    public int Run(long begin, string source)
    {
        (int from, int to) = (AlignmentOf(fromFd), AlignmentOf(toFd));
        _alignment = Math.Max(from, to);

        // O_NONBLOCK is cleared, because a read may return EAGAIN with it.
        int fromFlags = Libc.GetFlags(fromFd) & ~PathCalls.NonBlocking;
        int toFlags = Libc.GetFlags(toFd);
        if (from == 0 || to == 0 || blockBytes % _alignment != 0 || Math.Min(fromFlags, toFlags) < 0)
        {
            return -Errno.EOPNOTSUPP;
        }

        List<DataRange> ranges = DataRange.Find(fromFd, begin / _alignment * _alignment, length, _alignment, source);
        int result = PathCalls.SetLength(toFd, length);
        try
        {
            result = result < 0 ? result
                : Libc.SetFlags(fromFd, fromFlags | Libc.DirectFlag) < 0 || Libc.SetFlags(toFd, toFlags | Libc.DirectFlag) < 0
                    ? -Errno.EOPNOTSUPP
                    : 0;
            AlignedBuffer memory = new(depth * blockBytes);

            // The last block is written whole before the file is truncated. A killed copy must not expose old content of this memory.
            memory.Span.Clear();
            for (int i = 0; i < ranges.Count && result == 0; i++)
            {
                // Direct writes to allocated space run in parallel. Writes that allocate space may wait for each other.
                int room = SpaceCalls.Allocate(toFd, FallocateFlags.None, ranges[i].Begin, ranges[i].End - ranges[i].Begin);
                result = room is 0 or -Errno.EOPNOTSUPP or -Errno.ENOSYS ? RunRange(ranges[i], memory) : room;
            }
        }
        finally
        {
            _ = Libc.SetFlags(fromFd, fromFlags); // The descriptor is closed soon.
            _ = Libc.SetFlags(toFd, toFlags); // The descriptor is closed soon; setting the length needs no flags.
        }

        return result;
    }

    /// <summary>Returns the alignment of direct I/O in bytes, or 0 if the file does not support direct I/O.</summary>
    private static int AlignmentOf(int fd) =>
        Libc.Stat(fd, StatxMask.BasicStats | StatxMask.DioAlign, out Statx stat) == 0 && (stat.Mask & StatxMask.DioAlign) != 0
            ? (int)Math.Max(stat.DioOffsetAlign, stat.DioOffsetAlign == 0 ? 0 : stat.DioMemAlign)
            : FallbackAlignment;

    private int RunRange(DataRange range, AlignedBuffer memory)
    {
        (_next, _end) = (range.Begin, range.End);
        int count = (int)Math.Clamp((range.End - range.Begin + blockBytes - 1) / blockBytes, 1, depth);
        List<Thread> threads = [];
        try
        {
            for (int i = 1; i < count; i++)
            {
                Memory<byte> block = memory.Memory.Slice(i * blockBytes, blockBytes);
                Thread thread = new(() => Work(block.Span, isCaller: false)) { IsBackground = true, Name = "Sluice copy" };
                thread.UnsafeStart();
                threads.Add(thread);
            }

            Work(memory.Memory.Span[..blockBytes], isCaller: true);
        }
        catch
        {
            // The progress callback may throw. No further request begins in this case.
            Fail(-Errno.ECANCELED);
            throw;
        }
        finally
        {
            foreach (Thread thread in threads)
            {
                thread.Join();
            }
        }

        copied(Interlocked.Exchange(ref _unreported, 0));
        return Volatile.Read(ref _error);
    }

    private void Work(Span<byte> block, bool isCaller)
    {
        while (Volatile.Read(ref _error) == 0)
        {
            long offset = Interlocked.Add(ref _next, blockBytes) - blockBytes;
            if (offset >= _end)
            {
                return;
            }

            int wanted = (int)Math.Min(blockBytes, _end - offset);
            int bytes = (wanted + _alignment - 1) / _alignment * _alignment;
            int result = cancellationToken.IsCancellationRequested ? -Errno.ECANCELED
                : Transfer(isRead: true, block[..bytes], offset, (int)Math.Min(bytes, length - offset));
            result = result < 0 ? result : Transfer(isRead: false, block[..bytes], offset, bytes);
            if (result < 0)
            {
                Fail(result);
                return;
            }

            Interlocked.Add(ref _unreported, Math.Min(wanted, length - offset));
            if (isCaller)
            {
                copied(Interlocked.Exchange(ref _unreported, 0));
            }
        }
    }

    /// <summary>Returns 0 when at least <paramref name="needed"/> bytes were transferred, otherwise a negative errno.</summary>
    private int Transfer(bool isRead, Span<byte> block, long offset, int needed)
    {
        for (int done = 0; ;)
        {
            int bytes = isRead
                ? TransferCalls.Read(fromFd, block[done..], offset + done, RwFlags.None)
                : TransferCalls.Write(toFd, block[done..], offset + done, RwFlags.None);
            if (bytes < 0)
            {
                return bytes;
            }

            if (done + bytes >= needed)
            {
                return 0;
            }

            // A short transfer continues at an aligned offset.
            int before = done;
            done = (done + bytes) / _alignment * _alignment;
            if (done <= before)
            {
                return isRead ? FileTransfer.SourceEnded : -Errno.EIO;
            }
        }
    }

    /// <summary>Keeps the first failure.</summary>
    private void Fail(int result) => Interlocked.CompareExchange(ref _error, result, 0);
}
