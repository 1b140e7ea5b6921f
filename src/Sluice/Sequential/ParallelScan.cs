using System.Runtime.CompilerServices;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// Scans the parts of a file on several threads. Parts are started in the order of the file, so that it is read almost sequentially, and
/// only a few parts before the consumer requests their results.
/// </summary>
internal sealed class ParallelScan<TResult>(SluiceHandle handle, ScanCallback<TResult> callback, SluiceScanOptions options)
{
    /// <summary>The number of parts that are scanned in advance for each worker (0009).</summary>
    private const int PartsAhead = 4;
    private const int PageBytes = 4096;
#if DEBUG
    private const int StripeBytes = 512;
#else
    private const int StripeBytes = Tuning.ScanStripeBytes;
#endif

    private readonly MeasuredFile _file = new(handle);
    private readonly int _partBytes = options.RecordSize > 0
        ? Math.Max(1, options.PartSize / options.RecordSize) * options.RecordSize
        : options.PartSize;
    private readonly long _stripeBytes = StripeOf(options);
    private long _at = options.Shard.Index * StripeOf(options);
    private long _scanned;

    public async IAsyncEnumerable<TResult> RunAsync([EnumeratorCancellation] CancellationToken cancellationToken)
    {
        CheckLength();
        ParallelSteps<(bool HasResult, TResult? Result)> steps =
            new(options.Degree, (int)Math.Min((long)options.Degree * PartsAhead, int.MaxValue));
        try
        {
            while (true)
            {
                cancellationToken.ThrowIfCancellationRequested();
                while (steps.HasRoom && TryCut(out long start, out long end))
                {
                    steps.Begin(() => Scan(start, end));
                }

                if (steps.IsEmpty)
                {
                    break;
                }

                (bool hasResult, TResult? result) =
                    await (options.Ordered ? steps.TakeFirstAsync() : steps.TakeAnyAsync()).ConfigureAwait(false);
                if (hasResult)
                {
                    yield return result!;
                }
            }
        }
        finally
        {
            // The caller closes the handle next, so no step may be running.
            await steps.EndAsync().ConfigureAwait(false);
        }
    }

    private void CheckLength()
    {
        if (options.RecordSize > 0 && _file.Length % options.RecordSize != 0)
        {
            throw new InvalidDataException(
                $"'{handle.Path}' has {_file.Length} bytes, which is not a multiple of the record size {options.RecordSize}.");
        }
    }

    /// <summary>Returns the size of a stripe in bytes, a multiple of the record size.</summary>
    private static long StripeOf(SluiceScanOptions options)
    {
        long unit = Math.Max(1, options.RecordSize);
        return Math.Max(1, StripeBytes / unit) * unit;
    }

    /// <summary>
    /// Returns the next part of this shard, in the order of the file, or false if there is none. The file is divided into stripes of one
    /// size that are assigned to the shards in turn. They do not depend on the length of the file, so that shards that start at different
    /// times divide a growing file in the same way.
    /// </summary>
    private bool TryCut(out long start, out long end)
    {
        start = end = _at;
        if (_at >= _file.Length)
        {
            return false;
        }

        int others = options.Shard.Count - 1;
        long rest = Math.Min(_file.Length - _at, others == 0 ? long.MaxValue : _stripeBytes - (_at % _stripeBytes));
        end += Math.Min(_partBytes, rest);
        long skipped = end - start == rest ? others * _stripeBytes : 0;
        _at = _file.Length - end > skipped ? end + skipped : _file.Length;
        return true;
    }

    private (bool HasResult, TResult? Result) Scan(long start, long end)
    {
        MemoryLease block = AlignedBufferPool.RentOfMany(_partBytes + 1);
        try
        {
            bool hasResult = TryScan(start, end, ref block, out TResult? result);
            options.Progress?.Report(Interlocked.Add(ref _scanned, end - start));
            return (hasResult, result);
        }
        finally
        {
            block.Return();
        }
    }

    private bool TryScan(long start, long end, ref MemoryLease block, out TResult? result)
    {
        result = default;
        bool hasLines = options.RecordSize == 0;

        // The preceding byte shows whether a line begins at this offset.
        int before = hasLines && start > 0 ? 1 : 0;
        int held = ReadWhole(block.Span[..(int)(end - start + before)], start - before);
        int from = 0;
        if (before > 0)
        {
            from = block.Span[..held].IndexOf(options.Delimiter) + 1;
            if (from == 0 || from == held)
            {
                // A single line that began before this part continues through it, or ends where the next part begins.
                return false;
            }
        }

        int to = held;
        if (hasLines && end < _file.Length && block.Span[held - 1] != options.Delimiter)
        {
            to = Extend(ref block, held, end);
        }

        result = callback(new ScanPart(block.Span[from..to], start - before + from));
        return true;
    }

    /// <summary>Reads until the end of the part's last line. Returns its position in the block.</summary>
    private int Extend(ref MemoryLease block, int held, long offset)
    {
        // The rest of a line is usually short. For lines of several megabytes, the size of the reads is doubled.
        for (int step = 4096; offset < _file.Length; step = Math.Min(step * 2, 1 << 20))
        {
            int count = (int)Math.Min(step, _file.Length - offset);
            if (block.Length - held < count)
            {
                MemoryLease larger = AlignedBufferPool.RentOfMany(LargerBlock(held + (long)count));
                block.Span[..held].CopyTo(larger.Span);
                block.Return();
                block = larger;
            }

            Span<byte> more = block.Span.Slice(held, count);
            _ = ReadWhole(more, offset);
            int found = more.IndexOf(options.Delimiter);
            if (found >= 0)
            {
                return held + found + 1;
            }

            held += count;
            offset += count;
        }

        return held;
    }

    private int LargerBlock(long bytes) => bytes <= Array.MaxLength - PageBytes
        ? (int)Math.Min(Array.MaxLength - PageBytes, bytes + (bytes / 2))
        : throw new IOException($"Scanning '{handle.Path}' failed: a line is longer than {Array.MaxLength - PageBytes} bytes.");

    private int ReadWhole(Span<byte> buffer, long offset)
    {
        int read = _file.Read(buffer, offset);
        return read == buffer.Length
            ? read
            : throw new EndOfStreamException($"'{handle.Path}' was truncated at offset {offset + read} while it was being scanned.");
    }
}
