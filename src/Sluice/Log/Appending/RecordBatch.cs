using System.Buffers;
using System.Buffers.Binary;

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
        long bytes = 0;
        foreach (ReadOnlyMemory<byte> record in records)
        {
            bytes += headerBytes + record.Length;
        }

        if (bytes > most + headerBytes)
        {
            LogErrors.ThrowTooLong((int)Math.Min(bytes, int.MaxValue), most, nameof(records));
        }

        Count = records.Length;
        _rented = ArrayPool<byte>.Shared.Rent((int)bytes);
        try
        {
            int at = 0;
            foreach (ReadOnlyMemory<byte> record in records)
            {
                ReadOnlySpan<byte> content = record.Span;
                if (headerBytes > 0)
                {
                    BinaryPrimitives.WriteUInt32LittleEndian(_rented.AsSpan(at), (uint)content.Length | ((uint)durability << 30));
                }

                content.CopyTo(_rented.AsSpan(at + headerBytes, (int)bytes - at - headerBytes));
                at += headerBytes + content.Length;
            }

            _length = at;
        }
        catch
        {
            ArrayPool<byte>.Shared.Return(_rented);
            throw;
        }
    }

    public int Count { get; }

    public ReadOnlySpan<byte> Bytes => _rented.AsSpan(0, _length);

    public void Dispose() => ArrayPool<byte>.Shared.Return(_rented);
}
