using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Sluice.Memory;

namespace Sluice;

// Records, and values in the bytes that BinaryReader reads: little-endian, strings with their length in front. A token is looked at before
// each block.
public sealed partial class SluiceWriter
{
    /// <summary>The longest length of a string, 7 bits a byte.</summary>
    private const int MaxPrefixBytes = 5;

    /// <summary>Writes records as they lie in memory, byte order included.</summary>
    /// <typeparam name="T">The record.</typeparam>
    /// <param name="records">The records; copied, or written, when this returns.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteRecords<T>(ReadOnlySpan<T> records, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        // More than 2 GiB are no span of bytes.
        for (int most = MaxRecords<T>(); records.Length > most; records = records[most..])
        {
            Write(MemoryMarshal.AsBytes(records[..most]), cancellationToken);
        }

        Write(MemoryMarshal.AsBytes(records), cancellationToken);
    }

    /// <summary>Writes one record as it lies in memory, byte order included.</summary>
    /// <typeparam name="T">The record.</typeparam>
    /// <param name="record">The record.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteRecord<T>(in T record, CancellationToken cancellationToken = default)
        where T : unmanaged => Write(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in record)), cancellationToken);

    /// <summary>As <see cref="WriteRecords{T}"/>, without blocking the caller.</summary>
    /// <typeparam name="T">The record.</typeparam>
    /// <param name="records">The records; the caller's again when the task has ended.</param>
    /// <param name="cancellationToken">Ends the wait for room; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="WriteAsync" path="/exception"/>
    public async ValueTask WriteRecordsAsync<T>(ReadOnlyMemory<T> records, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        byte[] copy = ArrayPool<byte>.Shared.RentUninterrupted(64 * 1024);
        try
        {
            while (!records.IsEmpty)
            {
                ReadOnlyMemory<T> part = records[..Math.Min(records.Length, MaxRecords<T>())];
                int count;
                for (int done = 0; (count = CopyBytes(part.Span, done, copy)) > 0; done += count)
                {
                    await WriteAsync(copy.AsMemory(0, count), cancellationToken).ConfigureAwait(false);
                }

                records = records[part.Length..];
            }
        }
        finally
        {
            ArrayPool<byte>.Shared.ReturnUninterrupted(copy);
        }

        static int CopyBytes(ReadOnlySpan<T> records, int done, byte[] copy)
        {
            ReadOnlySpan<byte> rest = MemoryMarshal.AsBytes(records)[done..];
            int count = Math.Min(rest.Length, copy.Length);
            rest[..count].CopyTo(copy);
            return count;
        }
    }

    /// <summary>As many as have fewer than 2 GiB together.</summary>
    private static int MaxRecords<T>()
        where T : unmanaged => int.MaxValue / Unsafe.SizeOf<T>();

    /// <summary>Writes one byte, 0 or 1.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteBoolean(bool value, CancellationToken cancellationToken = default) =>
        Write([value ? (byte)1 : (byte)0], cancellationToken);

    /// <summary>Writes one byte.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteByte(byte value, CancellationToken cancellationToken = default) => Write([value], cancellationToken);

    /// <summary>Writes one byte.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteSByte(sbyte value, CancellationToken cancellationToken = default) => Write([(byte)value], cancellationToken);

    /// <summary>Writes 2 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteInt16(short value, CancellationToken cancellationToken = default)
    {
        Span<byte> bytes = stackalloc byte[sizeof(short)];
        BinaryPrimitives.WriteInt16LittleEndian(bytes, value);
        Write(bytes, cancellationToken);
    }

    /// <summary>Writes 2 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteUInt16(ushort value, CancellationToken cancellationToken = default) => WriteInt16((short)value, cancellationToken);

    /// <summary>Writes 4 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteInt32(int value, CancellationToken cancellationToken = default)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        Write(bytes, cancellationToken);
    }

    /// <summary>Writes 4 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteUInt32(uint value, CancellationToken cancellationToken = default) => WriteInt32((int)value, cancellationToken);

    /// <summary>Writes 8 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteInt64(long value, CancellationToken cancellationToken = default)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        Write(bytes, cancellationToken);
    }

    /// <summary>Writes 8 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteUInt64(ulong value, CancellationToken cancellationToken = default) => WriteInt64((long)value, cancellationToken);

    /// <summary>Writes 2 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteHalf(Half value, CancellationToken cancellationToken = default) =>
        WriteInt16(BitConverter.HalfToInt16Bits(value), cancellationToken);

    /// <summary>Writes 4 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteSingle(float value, CancellationToken cancellationToken = default) =>
        WriteInt32(BitConverter.SingleToInt32Bits(value), cancellationToken);

    /// <summary>Writes 8 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteDouble(double value, CancellationToken cancellationToken = default) =>
        WriteInt64(BitConverter.DoubleToInt64Bits(value), cancellationToken);

    /// <summary>Writes 16 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteDecimal(decimal value, CancellationToken cancellationToken = default)
    {
        Span<int> parts = stackalloc int[4];
        _ = decimal.GetBits(value, parts);
        Span<byte> bytes = stackalloc byte[sizeof(decimal)];
        for (int i = 0; i < parts.Length; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(bytes[(i * 4)..], parts[i]);
        }

        Write(bytes, cancellationToken);
    }

    /// <summary>Writes <see cref="DateTime.ToBinary"/>, 8 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteDateTime(DateTime value, CancellationToken cancellationToken = default) =>
        WriteInt64(value.ToBinary(), cancellationToken);

    /// <summary>Writes the number of ticks, 8 bytes.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void WriteTimeSpan(TimeSpan value, CancellationToken cancellationToken = default) => WriteInt64(value.Ticks, cancellationToken);

    /// <summary>Writes 1 to 5 bytes of 7 bits.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void Write7BitEncodedInt(int value, CancellationToken cancellationToken = default) => Write7Bits((uint)value, cancellationToken);

    /// <summary>Writes 1 to 10 bytes of 7 bits.</summary>
    /// <param name="value">What is written.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <inheritdoc cref="Write" path="/exception"/>
    public void Write7BitEncodedInt64(long value, CancellationToken cancellationToken = default) =>
        Write7Bits((ulong)value, cancellationToken);

    /// <summary>Writes a string: its length in bytes (7 bits a byte), then its bytes.</summary>
    /// <param name="value">The string.</param>
    /// <param name="encoding">Its encoding; null for UTF-8.</param>
    /// <param name="cancellationToken">Looked at before the string, which is then written whole.</param>
    /// <exception cref="ArgumentNullException"><paramref name="value"/> is null.</exception>
    /// <exception cref="IOException">This or an earlier write failed; the message tells at which offset.</exception>
    public void WriteString(string value, Encoding? encoding = null, CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(value);
        encoding ??= Encoding.UTF8;
        cancellationToken.ThrowIfCancellationRequested();

        // The encoding may be of the caller's own making: whatever it throws, nothing of the string has been taken.
        int expected = encoding.GetByteCount(value);
        Span<byte> room = GetSpan(MaxPrefixBytes + expected);
        int start = Put7Bits(room, (ulong)expected);
        int length = encoding.GetBytes(value, room[start..]);
        if (length != expected)
        {
            throw new ArgumentException($"The encoding said {expected} bytes, and gave {length}.", nameof(encoding));
        }

        Advance(start + length);
    }

    private void Write7Bits(ulong value, CancellationToken cancellationToken)
    {
        Span<byte> bytes = stackalloc byte[10];
        Write(bytes[..Put7Bits(bytes, value)], cancellationToken);
    }

    private static int Put7Bits(Span<byte> bytes, ulong value)
    {
        int length = 0;
        while (value > 0x7F)
        {
            bytes[length++] = (byte)(value | 0x80);
            value >>= 7;
        }

        bytes[length++] = (byte)value;
        return length;
    }
}
