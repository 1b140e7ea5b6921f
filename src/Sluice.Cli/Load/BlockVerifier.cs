using System.Buffers.Binary;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;
using Sluice.Log.Frames;

namespace Sluice.Cli.Load;

/// <summary>
/// Implements --verify. Keeps a checksum of each request that is read, and reads the same ranges again at the end. In a workload with
/// writes, each sector of a written range must come from the buffer of a writer; the ranges are read from the disk and compared at the end.
/// Thread-safe.
/// </summary>
internal sealed class BlockVerifier
{
    private const int SectorBytes = 512;
    private const long MaxRequests = 1L << 26;
    private const long Seen = 1L << 32;
    private const long Wrong = Seen << 1;

    private readonly Workload _workload;
    private readonly IReadOnlyList<Memory<byte>> _buffers;

    // The state of each request: 0, or the checksum of its data with the flags Seen and Wrong.
    private readonly long[] _seen;
    private long _wrong;
    private long _firstWrong = long.MaxValue;

    /// <param name="buffers">The data that the writers write, except for the offset in the first 8 bytes.</param>
    public BlockVerifier(Workload workload, IReadOnlyList<Memory<byte>> buffers)
    {
        long requests = workload.FileSizeBytes / workload.RequestSizeBytes;
        if (requests > MaxRequests)
        {
            throw new UsageException(
                $"--verify keeps 8 bytes for each request: {requests:#,0} of them are too many; name a smaller size or a larger -b");
        }
        (_workload, _buffers, _seen) = (workload, buffers, new long[requests]);
    }

    public void OnRead(ReadOnlySpan<byte> bytes, long offset)
    {
        // Such reads are not checked: a read during writes may return old or new data, and a short read is not a whole request.
        if (_workload.Writes || bytes.Length != _workload.RequestSizeBytes)
            return;
        long found = Seen | Checksum(bytes);
        long before = Interlocked.CompareExchange(ref _seen[offset / _workload.RequestSizeBytes], found, 0);
        if (before != 0 && (before & ~Wrong) != found)
            Fail(offset);
    }

    public void OnWritten(long offset) => Volatile.Write(ref _seen[offset / _workload.RequestSizeBytes], Seen);

    /// <summary>Reads the ranges that were read or written again, and compares them.</summary>
    public VerifyReport Finish(CancellationToken cancellationToken)
    {
        Workload plain = _workload with { Cache = CacheMode.AsIs, WriteShare = 0, Outstanding = null };
        using var target = new IoTarget(IoSide.Bcl, plain.OpenOptions);
        if (_workload.Writes)
            PageCache.Drop(target.SafeFileHandle);
        Memory<byte> buffer = PinnedBuffer.Allocate(_workload.RequestSizeBytes);
        long compared = 0;
        for (long i = 0; i < _seen.Length; i++)
        {
            if (_seen[i] == 0)
                continue;
            cancellationToken.ThrowIfCancellationRequested();
            long offset = i * _workload.RequestSizeBytes;
            int bytes = target.Read(buffer, offset);
            compared++;
            bool isRight = bytes == buffer.Length
                && (_workload.Writes ? IsWritten(buffer.Span, offset) : (_seen[i] & ~Wrong) == (Seen | Checksum(buffer.Span)));
            if (!isRight)
                Fail(offset);
        }
        return new VerifyReport(compared, _wrong, _wrong == 0 ? null : _firstWrong);
    }

    /// <summary>
    /// Returns true if each sector of the range comes from a writer. If two writes overlap, each may have written some of the sectors.
    /// </summary>
    private bool IsWritten(ReadOnlySpan<byte> found, long offset)
    {
        int stamp = found.Length >= sizeof(long) ? sizeof(long) : 0;
        if (stamp > 0 && BinaryPrimitives.ReadInt64LittleEndian(found) != offset)
            return false;
        // An unaligned direct write is split at the page boundaries of the file.
        int within = (int)(offset % SectorBytes);
        int writer = 0;
        for (int at = 0, end; at < found.Length; at = end)
        {
            end = Math.Min(found.Length, at + SectorBytes - ((within + at) % SectorBytes));
            int from = Math.Min(Math.Max(at, stamp), end);
            int length = end - from;
            int tried = 0;
            while (tried < _buffers.Count && !found.Slice(from, length).SequenceEqual(_buffers[writer].Span.Slice(from, length)))
            {
                writer = (writer + 1) % _buffers.Count;
                tried++;
            }
            if (tried == _buffers.Count)
                return false;
        }
        return true;
    }

    /// <summary>Marks a range as wrong and counts it, unless it is already marked.</summary>
    private void Fail(long offset)
    {
        if ((Interlocked.Or(ref _seen[offset / _workload.RequestSizeBytes], Wrong) & Wrong) == 0)
            Interlocked.Increment(ref _wrong);
        for (long seen = Volatile.Read(ref _firstWrong); offset < seen;)
            seen = Math.Max(Interlocked.CompareExchange(ref _firstWrong, offset, seen), Volatile.Read(ref _firstWrong));
    }

    private static uint Checksum(ReadOnlySpan<byte> bytes) => Crc32C.Append(Crc32C.Begin, bytes);
}

/// <summary>The result of --verify.</summary>
/// <param name="FirstWrongOffset">The first wrong offset in the file; null if nothing is wrong.</param>
internal sealed record VerifyReport(long Requests, long Wrong, long? FirstWrongOffset);
