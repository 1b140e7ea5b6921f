using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.InteropServices;
using System.Text;

namespace Sluice;

/// <summary>
/// Records, and values in the bytes that <see cref="BinaryReader"/> reads: little-endian, strings with their length in front.
/// <see cref="SluiceWriterOptions.CancellationToken"/> cancels values between blocks.
/// </summary>
public sealed partial class SluiceWriter
{
    /// <summary>Writes records as they lie in memory, byte order included.</summary>
    /// <typeparam name="T">The record.</typeparam>
    /// <inheritdoc cref="Write"/>
    public void WriteRecords<T>(ReadOnlySpan<T> records, CancellationToken cancellationToken = default)
        where T : unmanaged => Write(MemoryMarshal.AsBytes(records), cancellationToken);

    /// <summary>Writes one record as it lies in memory, byte order included.</summary>
    /// <typeparam name="T">The record.</typeparam>
    /// <inheritdoc cref="Write"/>
    public void WriteRecord<T>(in T record, CancellationToken cancellationToken = default)
        where T : unmanaged => Write(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in record)), cancellationToken);

    /// <summary>As <see cref="WriteRecords{T}"/>, without blocking the caller.</summary>
    /// <typeparam name="T">The record.</typeparam>
    /// <inheritdoc cref="WriteAsync"/>
    public async ValueTask WriteRecordsAsync<T>(ReadOnlyMemory<T> records, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        byte[] copy = ArrayPool<byte>.Shared.Rent(64 * 1024);
        try
        {
            int done = 0;
            while (true)
            {
                int count = CopyBytes(records.Span, done, copy);
                if (count == 0)
                {
                    return;
                }

                await WriteAsync(copy.AsMemory(0, count), cancellationToken).ConfigureAwait(false);
                done += count;
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.Return(copy);
        }

        static int CopyBytes(ReadOnlySpan<T> records, int done, byte[] copy)
        {
            ReadOnlySpan<byte> rest = MemoryMarshal.AsBytes(records)[done..];
            int count = Math.Min(rest.Length, copy.Length);
            rest[..count].CopyTo(copy);
            return count;
        }
    }

    /// <summary>Writes one byte, 0 or 1.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteBoolean(bool value) => Write([value ? (byte)1 : (byte)0]);

    /// <summary>Writes one byte.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteByte(byte value) => Write([value]);

    /// <summary>Writes one byte.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteSByte(sbyte value) => Write([(byte)value]);

    /// <summary>Writes 2 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteInt16(short value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(short)];
        BinaryPrimitives.WriteInt16LittleEndian(bytes, value);
        Write(bytes);
    }

    /// <summary>Writes 2 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteUInt16(ushort value) => WriteInt16((short)value);

    /// <summary>Writes 4 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteInt32(int value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        Write(bytes);
    }

    /// <summary>Writes 4 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteUInt32(uint value) => WriteInt32((int)value);

    /// <summary>Writes 8 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteInt64(long value)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        Write(bytes);
    }

    /// <summary>Writes 8 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteUInt64(ulong value) => WriteInt64((long)value);

    /// <summary>Writes 2 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteHalf(Half value) => WriteInt16(BitConverter.HalfToInt16Bits(value));

    /// <summary>Writes 4 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteSingle(float value) => WriteInt32(BitConverter.SingleToInt32Bits(value));

    /// <summary>Writes 8 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteDouble(double value) => WriteInt64(BitConverter.DoubleToInt64Bits(value));

    /// <summary>Writes 16 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteDecimal(decimal value)
    {
        Span<int> parts = stackalloc int[4];
        _ = decimal.GetBits(value, parts);
        Span<byte> bytes = stackalloc byte[sizeof(decimal)];
        for (int i = 0; i < parts.Length; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(bytes[(i * 4)..], parts[i]);
        }

        Write(bytes);
    }

    /// <summary>Writes <see cref="DateTime.ToBinary"/>, 8 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteDateTime(DateTime value) => WriteInt64(value.ToBinary());

    /// <summary>Writes the number of ticks, 8 bytes.</summary>
    /// <inheritdoc cref="Write"/>
    public void WriteTimeSpan(TimeSpan value) => WriteInt64(value.Ticks);

    /// <summary>Writes 1 to 5 bytes of 7 bits.</summary>
    /// <inheritdoc cref="Write"/>
    public void Write7BitEncodedInt(int value) => Write7Bits((uint)value);

    /// <summary>Writes 1 to 10 bytes of 7 bits.</summary>
    /// <inheritdoc cref="Write"/>
    public void Write7BitEncodedInt64(long value) => Write7Bits((ulong)value);

    /// <summary>Writes a string: its length in bytes (7 bits a byte), then its bytes.</summary>
    /// <param name="value">The string.</param>
    /// <param name="encoding">Its encoding; null for UTF-8.</param>
    /// <exception cref="ArgumentNullException"><paramref name="value"/> is null.</exception>
    /// <exception cref="IOException">This or an earlier write failed; the message tells at which offset.</exception>
    public void WriteString(string value, Encoding? encoding = null)
    {
        ArgumentNullException.ThrowIfNull(value);
        encoding ??= Encoding.UTF8;
        int length = encoding.GetByteCount(value);
        Write7BitEncodedInt(length);
        Advance(encoding.GetBytes(value, GetSpan(length)));
    }

    private void Write7Bits(ulong value)
    {
        Span<byte> bytes = stackalloc byte[10];
        int length = 0;
        while (value > 0x7F)
        {
            bytes[length++] = (byte)(value | 0x80);
            value >>= 7;
        }

        bytes[length++] = (byte)value;
        Write(bytes[..length]);
    }
}
