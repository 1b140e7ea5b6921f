using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Text;
using Sluice.Sequential;

namespace Sluice;

// Bytes, records, and values in the bytes that BinaryWriter writes: little-endian, strings with their length in front. A token is looked
// at before each block.
public sealed partial class SluiceReader
{
    private const int MaxValueBytes = 16;

    private byte[]? _value;

    /// <summary>Enumerates fixed-size records from the current position to the end of the file, in batches.</summary>
    /// <typeparam name="T">
    /// The type of the records. A record has the same layout and byte order in the file as this type has in memory.
    /// </typeparam>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The batches of records. Each batch is valid until the next one is requested.</returns>
    /// <remarks>
    /// If the file ends within a record, the enumeration returns all complete records and then throws an
    /// <see cref="InvalidDataException"/>.
    /// </remarks>
    public RecordBatchEnumerable<T> EnumerateRecordBatches<T>(CancellationToken cancellationToken = default)
        where T : unmanaged => new(this, cancellationToken);

    /// <summary>Asynchronously enumerates fixed-size records from the current position to the end of the file, in batches.</summary>
    /// <typeparam name="T">
    /// The type of the records. A record has the same layout and byte order in the file as this type has in memory.
    /// </typeparam>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The batches of records, for <c>await foreach</c>. Each batch is valid until the next one is requested.</returns>
    /// <inheritdoc cref="EnumerateRecordBatches" path="/remarks"/>
    public AsyncRecordBatchEnumerable<T> EnumerateRecordBatchesAsync<T>(CancellationToken cancellationToken = default)
        where T : unmanaged => new(this, cancellationToken);

    /// <summary>Reads bytes until the destination is full or the end of the file is reached.</summary>
    /// <param name="destination">The span to fill.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>
    /// The number of bytes read. It is less than the length of <paramref name="destination"/> only at the end of the file.
    /// </returns>
    /// <exception cref="IOException">
    /// An I/O error occurred. The message contains the path, the offset and the reason given by the operating system.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// If this method throws an exception, the position of the reader is the same as before the call. For a pipe, it is after the bytes
    /// that were already read.
    /// </remarks>
    public int Read(Span<byte> destination, CancellationToken cancellationToken = default)
    {
        int done = 0;
        long start = 0;
        try
        {
            while (done < destination.Length && HasUnread(cancellationToken))
            {
                start = done == 0 ? Position : start;
                done += TakeInto(destination[done..]);
            }

            return done;
        }
        catch when (done > 0)
        {
            GoBackTo(start);
            throw;
        }
    }

    /// <summary>Reads bytes until the destination is full.</summary>
    /// <param name="destination">The span to fill.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <exception cref="EndOfStreamException">
    /// The file ends before <paramref name="destination"/> is full. The reader is then positioned at the end of the file.
    /// </exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public void ReadExactly(Span<byte> destination, CancellationToken cancellationToken = default)
    {
        if (Read(destination, cancellationToken) < destination.Length)
        {
            ThrowEnd();
        }
    }

    /// <summary>
    /// Reads a Boolean value from one byte: 0 is <see langword="false"/>, and any other byte is <see langword="true"/>.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public bool ReadBoolean(CancellationToken cancellationToken = default) => TakeValue(1, cancellationToken)[0] != 0;

    /// <summary>Reads one byte.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public byte ReadByte(CancellationToken cancellationToken = default) => TakeValue(1, cancellationToken)[0];

    /// <summary>Reads a signed byte.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public sbyte ReadSByte(CancellationToken cancellationToken = default) => (sbyte)TakeValue(1, cancellationToken)[0];

    /// <summary>Reads a 16-bit signed integer from 2 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public short ReadInt16(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadInt16LittleEndian(TakeValue(2, cancellationToken));

    /// <summary>Reads a 16-bit unsigned integer from 2 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public ushort ReadUInt16(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadUInt16LittleEndian(TakeValue(2, cancellationToken));

    /// <summary>Reads a 32-bit signed integer from 4 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public int ReadInt32(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadInt32LittleEndian(TakeValue(4, cancellationToken));

    /// <summary>Reads a 32-bit unsigned integer from 4 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public uint ReadUInt32(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadUInt32LittleEndian(TakeValue(4, cancellationToken));

    /// <summary>Reads a 64-bit signed integer from 8 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public long ReadInt64(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadInt64LittleEndian(TakeValue(8, cancellationToken));

    /// <summary>Reads a 64-bit unsigned integer from 8 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public ulong ReadUInt64(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadUInt64LittleEndian(TakeValue(8, cancellationToken));

    /// <summary>Reads a half-precision floating-point number from 2 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public Half ReadHalf(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadHalfLittleEndian(TakeValue(2, cancellationToken));

    /// <summary>Reads a single-precision floating-point number from 4 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public float ReadSingle(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadSingleLittleEndian(TakeValue(4, cancellationToken));

    /// <summary>Reads a double-precision floating-point number from 8 bytes in little-endian order.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public double ReadDouble(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadDoubleLittleEndian(TakeValue(8, cancellationToken));

    /// <summary>Reads a <see cref="decimal"/> from 16 bytes, as written by <see cref="BinaryWriter.Write(decimal)"/>.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <exception cref="IOException">The bytes are not a valid <see cref="decimal"/>, or an I/O error occurred.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public decimal ReadDecimal(CancellationToken cancellationToken = default)
    {
        ReadOnlySpan<byte> bytes = TakeValue(16, cancellationToken);
        Span<int> parts = stackalloc int[4];
        for (int i = 0; i < parts.Length; i++)
        {
            parts[i] = BinaryPrimitives.ReadInt32LittleEndian(bytes[(i * 4)..]);
        }

        try
        {
            return new decimal(parts);
        }
        catch (ArgumentException e)
        {
            throw new IOException($"'{_handle.Path}' has no decimal at offset {Position - 16}: {e.Message}", e);
        }
    }

    /// <summary>
    /// Reads a <see cref="DateTime"/> from 8 bytes in little-endian order, as written by
    /// <see cref="SluiceWriter.WriteDateTime"/>.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <exception cref="IOException">The bytes are not a valid <see cref="DateTime"/>, or an I/O error occurred.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public DateTime ReadDateTime(CancellationToken cancellationToken = default)
    {
        long binary = ReadInt64(cancellationToken);
        try
        {
            return DateTime.FromBinary(binary);
        }
        catch (ArgumentException e)
        {
            throw new IOException($"'{_handle.Path}' has no moment at offset {Position - 8}: {e.Message}", e);
        }
    }

    /// <summary>
    /// Reads a <see cref="TimeSpan"/> from 8 bytes in little-endian order that contain the number of ticks (100 nanoseconds).
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public TimeSpan ReadTimeSpan(CancellationToken cancellationToken = default) => new(ReadInt64(cancellationToken));

    /// <summary>Reads a 32-bit integer in the 7-bit encoding of <see cref="BinaryReader"/>, which takes 1 to 5 bytes.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <exception cref="FormatException">The bytes encode a number of more than 32 bits.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public int Read7BitEncodedInt(CancellationToken cancellationToken = default) =>
        (int)Read7Bits(35, 0b1111u, nameof(Int32), cancellationToken);

    /// <summary>Reads a 64-bit integer in the 7-bit encoding of <see cref="BinaryReader"/>, which takes 1 to 10 bytes.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The value.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the value.</exception>
    /// <exception cref="FormatException">The bytes encode a number of more than 64 bits.</exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public long Read7BitEncodedInt64(CancellationToken cancellationToken = default) =>
        (long)Read7Bits(70, 1u, nameof(Int64), cancellationToken);

    /// <summary>
    /// Reads a string that is prefixed with its length in bytes, stored as a 7-bit encoded integer.
    /// <see cref="SluiceWriter.WriteString"/> and <see cref="BinaryWriter.Write(string)"/> write strings in this format.
    /// </summary>
    /// <param name="encoding">The encoding of the string, or <see langword="null"/> (the default) for UTF-8.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The string.</returns>
    /// <exception cref="EndOfStreamException">The file ends before the end of the string.</exception>
    /// <exception cref="FormatException">The length is not a valid 7-bit encoded 32-bit integer.</exception>
    /// <exception cref="IOException">The length is negative, or an I/O error occurred.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public string ReadString(Encoding? encoding = null, CancellationToken cancellationToken = default)
    {
        encoding ??= Encoding.UTF8;
        long offset = Position;
        try
        {
            int length = Read7BitEncodedInt(cancellationToken);
            return length >= 0
                ? ReadString(length, encoding, cancellationToken)
                : throw new IOException($"'{_handle.Path}' has a string of {length} bytes at offset {offset}.");
        }
        catch (Exception e) when (e is not (EndOfStreamException or FormatException))
        {
            GoBackTo(offset);
            throw;
        }
    }

    /// <summary>The whole records at the front of what is unread; false when there is not one.</summary>
    internal bool TryTakeRecords<T>(out Memory<byte> bytes, out bool isAligned)
        where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>();
        int whole = (_block.Length - _consumed) / size * size;
        bytes = _block.Slice(_consumed, whole);
        isAligned = Records.IsAligned<T>(_blockAddress + _consumed);
        _consumed += whole;
        return whole > 0;
    }

    private string ReadString(int length, Encoding encoding, CancellationToken cancellationToken)
    {
        if (length <= _block.Length - _consumed)
        {
            string whole = encoding.GetString(Unread[..length]);
            _consumed += length;
            return whole;
        }

        // A length that the file cannot have is found out piece by piece, not by allocating it.
        ArrayBufferWriter<byte> bytes = new(Math.Min(length, 4096));
        while (bytes.WrittenCount < length)
        {
            if (!HasUnread(cancellationToken))
            {
                ThrowEnd();
            }

            ReadOnlySpan<byte> piece = Unread[..Math.Min(_block.Length - _consumed, length - bytes.WrittenCount)];
            bytes.Write(piece);
            _consumed += piece.Length;
        }

        return encoding.GetString(bytes.WrittenSpan);
    }

    /// <summary>The next bytes, in the block or, across its border, in a copy.</summary>
    private ReadOnlySpan<byte> TakeValue(int length, CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        if (length <= _block.Length - _consumed)
        {
            ReadOnlySpan<byte> result = _block.Span.Slice(_consumed, length);
            _consumed += length;
            return result;
        }

        Span<byte> copy = (_value ??= new byte[MaxValueBytes]).AsSpan(0, length);
        ReadExactly(copy, cancellationToken);
        return copy;
    }

    private ulong Read7Bits(int maxBits, uint lastMax, string type, CancellationToken cancellationToken)
    {
        ulong result = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte next = TakeValue(1, cancellationToken)[0];
            if (shift == maxBits - 7 && next > lastMax)
            {
                throw new FormatException($"'{_handle.Path}' has no 7-bit encoded {type} before offset {Position}.");
            }

            result |= (next & 0x7Ful) << shift;
            if (next <= 0x7F)
            {
                return result;
            }
        }
    }

    [DoesNotReturn]
    private void ThrowEnd() => throw new EndOfStreamException($"'{_handle.Path}' ends at offset {Position}, within a value.");
}
