using System.Buffers;
using Sluice.Log.Frames;

namespace Sluice.Log.Appending;

/// <summary>
/// Records in the layout of a page, collected before space is reserved: reading the caller's list and memory may throw, and a page with
/// reserved space that is never filled could not be written.
/// </summary>
internal readonly struct RecordBatch : IDisposable
{
    private readonly byte[] _rented;
    private readonly int _length;

    /// <exception cref="ArgumentException">The records together are longer than the log allows.</exception>
    public RecordBatch(ReadOnlySpan<ReadOnlyMemory<byte>> records, int headerBytes, LogDurability durability, int most)
    {
        long bytes = -headerBytes;
        foreach (ReadOnlyMemory<byte> record in records)
        {
            bytes += headerBytes + record.Length;
        }

        Count = records.Length;
        _rented = Rent(bytes, headerBytes, most, nameof(records));
        int end = 0;
        foreach (ReadOnlyMemory<byte> record in records)
        {
            Span<byte> rest = _rented.AsSpan(end, (int)bytes + headerBytes - end);
            end += Copy(new ReadOnlySequence<byte>(record), rest, headerBytes, durability);
        }

        _length = end;
    }

    /// <summary>A single record, which is in several pieces of memory.</summary>
    /// <exception cref="ArgumentException">The record is longer than the log allows.</exception>
    public RecordBatch(ReadOnlySequence<byte> record, int headerBytes, LogDurability durability, int most)
    {
        Count = 1;
        _rented = Rent(record.Length, headerBytes, most, nameof(record));
        _length = Copy(record, _rented.AsSpan(0, headerBytes + (int)record.Length), headerBytes, durability);
    }

    public int Count { get; }

    public ReadOnlySpan<byte> Bytes => _rented.AsSpan(0, _length);

    public void Dispose() => ArrayPool<byte>.Shared.Return(_rented);

    /// <param name="bytes">The size of the records, without the header of the first one.</param>
    private static byte[] Rent(long bytes, int headerBytes, int most, string parameter)
    {
        if (bytes > most)
        {
            LogErrors.ThrowTooLong((int)Math.Min(bytes, int.MaxValue), most, parameter);
        }

        return ArrayPool<byte>.Shared.Rent((int)bytes + headerBytes);
    }

    /// <returns>The number of copied bytes, including the header.</returns>
    private static int Copy(ReadOnlySequence<byte> record, Span<byte> target, int headerBytes, LogDurability durability)
    {
        int end = headerBytes;
        foreach (ReadOnlyMemory<byte> part in record)
        {
            ReadOnlySpan<byte> content = part.Span;
            content.CopyTo(target[end..]);
            end += content.Length;
        }

        if (headerBytes > 0)
        {
            LogLayout.WriteRecordHeader(target, end - headerBytes, durability);
        }

        return end;
    }
}
