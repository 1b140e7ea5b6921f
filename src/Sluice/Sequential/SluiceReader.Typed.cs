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

    /// <summary>
    /// The records from here to the end, in spans over the reader's own blocks where they are aligned for their type, else copied.
    /// </summary>
    /// <typeparam name="T">The record: its bytes in memory are those in the file, byte order included.</typeparam>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <remarks>An <see cref="InvalidDataException"/> tells of a file that ends within a record, after all whole ones.</remarks>
    public RecordBatchEnumerable<T> EnumerateRecordBatches<T>(CancellationToken cancellationToken = default)
        where T : unmanaged => new(this, cancellationToken);

    /// <summary>As <see cref="EnumerateRecordBatches{T}"/>, without blocking the caller, for <c>await foreach</c>.</summary>
    /// <typeparam name="T">The record: its bytes in memory are those in the file, byte order included.</typeparam>
    /// <param name="cancellationToken">Ends the wait for a block.</param>
    public AsyncRecordBatchEnumerable<T> EnumerateRecordBatchesAsync<T>(CancellationToken cancellationToken = default)
        where T : unmanaged => new(this, cancellationToken);

    /// <summary>
    /// Fills as much of the destination as the file has; fewer bytes only at its end. After an exception the reader stands where it stood
    /// before the call; on a pipe, behind the bytes that were taken.
    /// </summary>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <returns>How many bytes were read.</returns>
    /// <exception cref="IOException">The operating system reported an error.</exception>
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

    /// <summary>Fills the destination.</summary>
    /// <param name="destination">Where the bytes go.</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    public void ReadExactly(Span<byte> destination, CancellationToken cancellationToken = default)
    {
        if (Read(destination, cancellationToken) < destination.Length)
        {
            ThrowEnd();
        }
    }

    /// <summary>Reads one byte; 0 is false.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    public bool ReadBoolean(CancellationToken cancellationToken = default) => TakeValue(1, cancellationToken)[0] != 0;

    /// <summary>Reads one byte.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public byte ReadByte(CancellationToken cancellationToken = default) => TakeValue(1, cancellationToken)[0];

    /// <summary>Reads one byte.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public sbyte ReadSByte(CancellationToken cancellationToken = default) => (sbyte)TakeValue(1, cancellationToken)[0];

    /// <summary>Reads 2 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public short ReadInt16(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadInt16LittleEndian(TakeValue(2, cancellationToken));

    /// <summary>Reads 2 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public ushort ReadUInt16(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadUInt16LittleEndian(TakeValue(2, cancellationToken));

    /// <summary>Reads 4 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public int ReadInt32(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadInt32LittleEndian(TakeValue(4, cancellationToken));

    /// <summary>Reads 4 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public uint ReadUInt32(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadUInt32LittleEndian(TakeValue(4, cancellationToken));

    /// <summary>Reads 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public long ReadInt64(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadInt64LittleEndian(TakeValue(8, cancellationToken));

    /// <summary>Reads 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public ulong ReadUInt64(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadUInt64LittleEndian(TakeValue(8, cancellationToken));

    /// <summary>Reads 2 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public Half ReadHalf(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadHalfLittleEndian(TakeValue(2, cancellationToken));

    /// <summary>Reads 4 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public float ReadSingle(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadSingleLittleEndian(TakeValue(4, cancellationToken));

    /// <summary>Reads 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public double ReadDouble(CancellationToken cancellationToken = default) =>
        BinaryPrimitives.ReadDoubleLittleEndian(TakeValue(8, cancellationToken));

    /// <summary>Reads 16 bytes.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="IOException">The bytes are no decimal.</exception>
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

    /// <summary>Reads what <see cref="DateTime.ToBinary"/> gave, 8 bytes.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="IOException">The bytes are no moment.</exception>
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

    /// <summary>Reads a number of ticks, 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public TimeSpan ReadTimeSpan(CancellationToken cancellationToken = default) => new(ReadInt64(cancellationToken));

    /// <summary>Reads 1 to 5 bytes of 7 bits.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="FormatException">More than 32 bits.</exception>
    public int Read7BitEncodedInt(CancellationToken cancellationToken = default) =>
        (int)Read7Bits(35, 0b1111u, nameof(Int32), cancellationToken);

    /// <summary>Reads 1 to 10 bytes of 7 bits.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="FormatException">More than 64 bits.</exception>
    public long Read7BitEncodedInt64(CancellationToken cancellationToken = default) =>
        (long)Read7Bits(70, 1u, nameof(Int64), cancellationToken);

    /// <summary>Reads a string: its length in bytes (7 bits a byte), then its bytes.</summary>
    /// <param name="encoding">Its encoding; null for UTF-8.</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="IOException">The length is negative.</exception>
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
