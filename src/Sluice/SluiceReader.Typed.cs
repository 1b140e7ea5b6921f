using System.Buffers;
using System.Buffers.Binary;
using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Sluice;

/// <summary>
/// Values in the bytes that <see cref="BinaryWriter"/> writes: little-endian, strings with their length in front.
/// <see cref="SluiceReaderOptions.CancellationToken"/> cancels them between blocks.
/// </summary>
public sealed partial class SluiceReader
{
    private const int LongestValue = 16;

    private byte[]? _value;

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
    public bool ReadBoolean() => TakeValue(1)[0] != 0;

    /// <summary>Reads one byte.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public byte ReadByte() => TakeValue(1)[0];

    /// <summary>Reads one byte.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public sbyte ReadSByte() => (sbyte)TakeValue(1)[0];

    /// <summary>Reads 2 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public short ReadInt16() => BinaryPrimitives.ReadInt16LittleEndian(TakeValue(2));

    /// <summary>Reads 2 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public ushort ReadUInt16() => BinaryPrimitives.ReadUInt16LittleEndian(TakeValue(2));

    /// <summary>Reads 4 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public int ReadInt32() => BinaryPrimitives.ReadInt32LittleEndian(TakeValue(4));

    /// <summary>Reads 4 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public uint ReadUInt32() => BinaryPrimitives.ReadUInt32LittleEndian(TakeValue(4));

    /// <summary>Reads 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public long ReadInt64() => BinaryPrimitives.ReadInt64LittleEndian(TakeValue(8));

    /// <summary>Reads 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public ulong ReadUInt64() => BinaryPrimitives.ReadUInt64LittleEndian(TakeValue(8));

    /// <summary>Reads 2 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public Half ReadHalf() => BinaryPrimitives.ReadHalfLittleEndian(TakeValue(2));

    /// <summary>Reads 4 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public float ReadSingle() => BinaryPrimitives.ReadSingleLittleEndian(TakeValue(4));

    /// <summary>Reads 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public double ReadDouble() => BinaryPrimitives.ReadDoubleLittleEndian(TakeValue(8));

    /// <summary>Reads 16 bytes.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="IOException">The bytes are no decimal.</exception>
    public decimal ReadDecimal()
    {
        ReadOnlySpan<byte> bytes = TakeValue(16);
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
    /// <inheritdoc cref="ReadBoolean"/>
    public DateTime ReadDateTime() => DateTime.FromBinary(ReadInt64());

    /// <summary>Reads a number of ticks, 8 bytes.</summary>
    /// <inheritdoc cref="ReadBoolean"/>
    public TimeSpan ReadTimeSpan() => new(ReadInt64());

    /// <summary>Reads 1 to 5 bytes of 7 bits.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="FormatException">More than 32 bits.</exception>
    public int Read7BitEncodedInt() => (int)Read7Bits(35, 0b1111u, nameof(Int32));

    /// <summary>Reads 1 to 10 bytes of 7 bits.</summary>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="FormatException">More than 64 bits.</exception>
    public long Read7BitEncodedInt64() => (long)Read7Bits(70, 1u, nameof(Int64));

    /// <summary>Reads a string: its length in bytes (7 bits a byte), then its bytes.</summary>
    /// <param name="encoding">Its encoding; null for UTF-8.</param>
    /// <exception cref="EndOfStreamException">The file ends before.</exception>
    /// <exception cref="IOException">The length is negative.</exception>
    public string ReadString(Encoding? encoding = null)
    {
        encoding ??= Encoding.UTF8;
        long offset = Position;
        int length = Read7BitEncodedInt();
        if (length < 0)
        {
            throw new IOException($"'{_handle.Path}' has a string of {length} bytes at offset {offset}.");
        }

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
            if (!HasUnread(CancellationToken.None))
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
    private ReadOnlySpan<byte> TakeValue(int length)
    {
        if (length <= _block.Length - _consumed)
        {
            ReadOnlySpan<byte> result = _block.Span.Slice(_consumed, length);
            _consumed += length;
            return result;
        }

        Span<byte> copy = (_value ??= new byte[LongestValue]).AsSpan(0, length);
        ReadExactly(copy);
        return copy;
    }

    private ulong Read7Bits(int mostBits, uint lastMost, string type)
    {
        ulong result = 0;
        for (int shift = 0; ; shift += 7)
        {
            byte next = TakeValue(1)[0];
            if (shift == mostBits - 7 && next > lastMost)
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
