using System.Runtime.CompilerServices;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Memory;

namespace Sluice.Sequential;

/// <summary>
/// Scans the parts of a file on several threads. Parts are begun in the order of the file, so that it is read nearly from front to back, and
/// only a few parts before the consumer asks for them.
/// </summary>
internal sealed class ParallelScan<TResult>(SluiceHandle handle, ScanCallback<TResult> callback, SluiceScanOptions options)
{
    /// <summary>Parts of a scan that lie ready for each worker (0009).</summary>
    private const int PartsAhead = 4;
    private const int PageBytes = 4096;

    /// <summary>After so many rounds of stripes the next are twice as long.</summary>
    private const int RoundsToDouble = 8;
#if DEBUG
    private const int StripeBytes = 512;
    private const int MaxStripeBytes = 16 * StripeBytes;
#else
    private const int StripeBytes = Tuning.ScanStripeBytes;

    /// <summary>The longest stripes. No measurement: short beside a file that is worth sharing.</summary>
    private const int MaxStripeBytes = 1 << 30;
#endif

    private readonly MeasuredFile _file = new(handle);
    private readonly int _partBytes = options.RecordSize > 0
        ? Math.Max(1, options.PartSize / options.RecordSize) * options.RecordSize
        : options.PartSize;
    private readonly long _unit = Math.Max(1, StripeBytes / Math.Max(1, options.RecordSize)) * Math.Max(1, options.RecordSize);
    private Int128 _round;
    private long _at;
    private long _stripeEnd;
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
            // The steps use the handle, which the caller closes next.
            await steps.EndAsync().ConfigureAwait(false);
        }
    }

    private void CheckLength()
    {
        if (options.RecordSize > 0 && _file.Length % options.RecordSize != 0)
        {
            throw new InvalidDataException(
                $"'{handle.Path}' has {_file.Length} bytes, which is no multiple of its record's {options.RecordSize}.");
        }
    }

    /// <summary>
    /// Takes the next part of this shard, in the order of the file. Where a shard's stripes lie depends on the number of shards alone, and
    /// not on how long the file is: shards that begin one after the other cut a file that grows at the same places. They go around by
    /// turns; each round's are longer than those before, so that a large file is read in long stretches, and none has much more than its
    /// share.
    /// </summary>
    private bool TryCut(out long start, out long end)
    {
        while (_at >= _stripeEnd)
        {
            if (_round >= _file.Length)
            {
                (start, end) = (0, 0);
                return false;
            }

            NextStripe();
        }

        start = _at;
        _at = end = start + Math.Min(_partBytes, _stripeEnd - start);
        return true;
    }

    private void NextStripe()
    {
        (int index, int count) = (options.Shard.Index, options.Shard.Count);
        long share = (long)(_round / ((Int128)count * RoundsToDouble));
        long stripe = count == 1 ? _file.Length : Math.Max(_unit, Math.Min(share, MaxStripeBytes) / _unit * _unit);
        Int128 begin = _round + ((Int128)index * stripe);
        _at = (long)Int128.Min(begin, _file.Length);
        _stripeEnd = (long)Int128.Min(begin + stripe, _file.Length);
        _round += (Int128)count * stripe;
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

        // The byte in front tells whether a line begins exactly here.
        int before = hasLines && start > 0 ? 1 : 0;
        int held = ReadWhole(block.Span[..(int)(end - start + before)], start - before);
        int from = 0;
        if (before > 0)
        {
            from = block.Span[..held].IndexOf(options.Delimiter) + 1;
            if (from == 0 || from == held)
            {
                // One line, which began before this part, goes on through it, or ends where the next part begins.
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

    /// <summary>Reads on until the last line of the part has its end; returns where that is in the block.</summary>
    private int Extend(ref MemoryLease block, int held, long offset)
    {
        // A line's usual rest is short; one of megabytes is reached by doubling.
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
            : throw new EndOfStreamException($"'{handle.Path}' was cut at offset {offset + read} while it was being scanned.");
    }
}
