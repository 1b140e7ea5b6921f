using System.Buffers;
using System.Buffers.Binary;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Sluice;

// Records, and values in the bytes that BinaryReader reads: little-endian, strings with their length in front. A token is looked at before
// each block.
public sealed partial class SluiceWriter
{
    /// <summary>The longest length of a string, 7 bits a byte.</summary>
    private const int MaxPrefixBytes = 5;

    /// <summary>Writes fixed-size records. A record has the same layout and byte order in the file as in memory.</summary>
    /// <typeparam name="T">The type of the records.</typeparam>
    /// <param name="records">The records to write. The memory can be changed after this method returns.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
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

    /// <summary>Writes a fixed-size record. The record has the same layout and byte order in the file as in memory.</summary>
    /// <typeparam name="T">The type of the record.</typeparam>
    /// <param name="record">The record to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteRecord<T>(in T record, CancellationToken cancellationToken = default)
        where T : unmanaged => Write(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in record)), cancellationToken);

    /// <summary>Asynchronously writes fixed-size records. A record has the same layout and byte order in the file as in memory.</summary>
    /// <typeparam name="T">The type of the records.</typeparam>
    /// <param name="records">The records to write. The memory must not change until the task has completed.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, <see cref="Position"/> is the offset after the bytes that the
    /// writer accepted.
    /// </param>
    /// <returns>A task that completes when the records have been copied to the writer or written to the file.</returns>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{byte}, CancellationToken)" path="/exception"/>
    public async ValueTask WriteRecordsAsync<T>(ReadOnlyMemory<T> records, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        byte[] copy = ArrayPool<byte>.Shared.Rent(64 * 1024);
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

    /// <summary>As many as have fewer than 2 GiB together.</summary>
    private static int MaxRecords<T>()
        where T : unmanaged => int.MaxValue / Unsafe.SizeOf<T>();

    /// <summary>Writes a Boolean value as one byte: 0 for <see langword="false"/> and 1 for <see langword="true"/>.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteBoolean(bool value, CancellationToken cancellationToken = default) =>
        Write([value ? (byte)1 : (byte)0], cancellationToken);

    /// <summary>Writes one byte.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteByte(byte value, CancellationToken cancellationToken = default) => Write([value], cancellationToken);

    /// <summary>Writes a signed byte.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteSByte(sbyte value, CancellationToken cancellationToken = default) => Write([(byte)value], cancellationToken);

    /// <summary>Writes a 16-bit signed integer as 2 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteInt16(short value, CancellationToken cancellationToken = default)
    {
        Span<byte> bytes = stackalloc byte[sizeof(short)];
        BinaryPrimitives.WriteInt16LittleEndian(bytes, value);
        Write(bytes, cancellationToken);
    }

    /// <summary>Writes a 16-bit unsigned integer as 2 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteUInt16(ushort value, CancellationToken cancellationToken = default) => WriteInt16((short)value, cancellationToken);

    /// <summary>Writes a 32-bit signed integer as 4 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteInt32(int value, CancellationToken cancellationToken = default)
    {
        Span<byte> bytes = stackalloc byte[sizeof(int)];
        BinaryPrimitives.WriteInt32LittleEndian(bytes, value);
        Write(bytes, cancellationToken);
    }

    /// <summary>Writes a 32-bit unsigned integer as 4 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteUInt32(uint value, CancellationToken cancellationToken = default) => WriteInt32((int)value, cancellationToken);

    /// <summary>Writes a 64-bit signed integer as 8 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteInt64(long value, CancellationToken cancellationToken = default)
    {
        Span<byte> bytes = stackalloc byte[sizeof(long)];
        BinaryPrimitives.WriteInt64LittleEndian(bytes, value);
        Write(bytes, cancellationToken);
    }

    /// <summary>Writes a 64-bit unsigned integer as 8 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteUInt64(ulong value, CancellationToken cancellationToken = default) => WriteInt64((long)value, cancellationToken);

    /// <summary>Writes a half-precision floating-point number as 2 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteHalf(Half value, CancellationToken cancellationToken = default) =>
        WriteInt16(BitConverter.HalfToInt16Bits(value), cancellationToken);

    /// <summary>Writes a single-precision floating-point number as 4 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteSingle(float value, CancellationToken cancellationToken = default) =>
        WriteInt32(BitConverter.SingleToInt32Bits(value), cancellationToken);

    /// <summary>Writes a double-precision floating-point number as 8 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteDouble(double value, CancellationToken cancellationToken = default) =>
        WriteInt64(BitConverter.DoubleToInt64Bits(value), cancellationToken);

    /// <summary>Writes a <see cref="decimal"/> as 16 bytes, which <see cref="BinaryReader.ReadDecimal"/> can read.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
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

    /// <summary>Writes the result of <see cref="DateTime.ToBinary"/> as 8 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteDateTime(DateTime value, CancellationToken cancellationToken = default) =>
        WriteInt64(value.ToBinary(), cancellationToken);

    /// <summary>Writes the number of ticks (100 nanoseconds) of a <see cref="TimeSpan"/> as 8 bytes in little-endian order.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteTimeSpan(TimeSpan value, CancellationToken cancellationToken = default) => WriteInt64(value.Ticks, cancellationToken);

    /// <summary>Writes a 32-bit integer in the 7-bit encoding of <see cref="BinaryWriter"/>, which takes 1 to 5 bytes.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void Write7BitEncodedInt(int value, CancellationToken cancellationToken = default) => Write7Bits((uint)value, cancellationToken);

    /// <summary>Writes a 64-bit integer in the 7-bit encoding of <see cref="BinaryWriter"/>, which takes 1 to 10 bytes.</summary>
    /// <param name="value">The value to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void Write7BitEncodedInt64(long value, CancellationToken cancellationToken = default) =>
        Write7Bits((ulong)value, cancellationToken);

    /// <summary>
    /// Writes the length of a string in bytes, as a 7-bit encoded integer, followed by the string. The result can be read with
    /// <see cref="SluiceReader.ReadString(Encoding, CancellationToken)"/> and <see cref="BinaryReader.ReadString"/>.
    /// </summary>
    /// <param name="value">The string to write.</param>
    /// <param name="encoding">The encoding of the string, or <see langword="null"/> (the default) for UTF-8.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked once, before the string is written.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="value"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">
    /// The number of bytes that <paramref name="encoding"/> produced differs from the result of its
    /// <see cref="Encoding.GetByteCount(string)"/> method. Nothing was written.
    /// </exception>
    /// <exception cref="IOException">
    /// This write or an earlier one failed. The message contains the offset of the failure.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
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
