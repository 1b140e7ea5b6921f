using System.Buffers.Binary;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>
/// Where the blocks of a compressed segment are: the last member of its file, which has no content and this in its header's extra field.
/// See docs/log-format.md.
/// </summary>
internal sealed class BlockTable
{
    public const int MaxBlocks = 8000;
    public const int MinBlockBytes = 256 * 1024;

    /// <summary>The most that a block has: a larger segment is not compressed.</summary>
    public const int MaxBlockBytes = 16 * 1024 * 1024;

    private const byte Version = 1;
    private const int HeaderBytes = 16;
    private const int FixedBytes = 16;
    private const int EntryBytes = 8;
    private const int EndBytes = 12;

    /// <summary>Of the most that deflate can make smaller.</summary>
    private const long MaxRatio = 1040;

    private readonly long[] _starts;
    private readonly long _end;

    private BlockTable(int blockBytes, long length, long[] starts, long end) =>
        (BlockBytes, Length, _starts, _end) = (blockBytes, length, starts, end);

    /// <summary>Bytes of each block but the last.</summary>
    public int BlockBytes { get; }

    /// <summary>Bytes of all blocks.</summary>
    public long Length { get; }

    private static ReadOnlySpan<byte> Begin => [0x1F, 0x8B, 8, 4, 0, 0, 0, 0, 0, 255];

    private static ReadOnlySpan<byte> Magic => "SLGZ"u8;

    /// <summary>Nothing, deflated; its CRC and length.</summary>
    private static ReadOnlySpan<byte> Empty => [3, 0, 0, 0, 0, 0, 0, 0, 0, 0];

    /// <summary>Bytes of a block for a segment of a length; 0 where it is too large.</summary>
    public static int BlockBytesFor(long length)
    {
        long bytes = MinBlockBytes;
        while (bytes * MaxBlocks < length)
        {
            bytes *= 2;
        }

        return bytes <= MaxBlockBytes ? (int)bytes : 0;
    }

    public int BytesOf(long index) => (int)Math.Min(BlockBytes, Length - (index * BlockBytes));

    public (long Start, long End) PlaceOf(long index) => (_starts[index], index + 1 < _starts.Length ? _starts[index + 1] : _end);

    /// <summary>The member that stands behind the last block.</summary>
    public static byte[] Make(int blockBytes, long length, IReadOnlyList<long> starts)
    {
        int payload = FixedBytes + (starts.Count * EntryBytes) + EndBytes;
        byte[] member = new byte[HeaderBytes + payload + Empty.Length];
        Begin.CopyTo(member);
        BinaryPrimitives.WriteUInt16LittleEndian(member.AsSpan(10), (ushort)(payload + 4));
        (member[12], member[13]) = ((byte)'S', (byte)'L');
        BinaryPrimitives.WriteUInt16LittleEndian(member.AsSpan(14), (ushort)payload);
        Span<byte> at = member.AsSpan(HeaderBytes);
        at[0] = Version;
        BinaryPrimitives.WriteInt32LittleEndian(at[4..], blockBytes);
        BinaryPrimitives.WriteInt64LittleEndian(at[8..], length);
        at = at[FixedBytes..];
        foreach (long start in starts)
        {
            BinaryPrimitives.WriteInt64LittleEndian(at, start);
            at = at[EntryBytes..];
        }

        BinaryPrimitives.WriteInt32LittleEndian(at, starts.Count);
        Magic.CopyTo(at[4..]);
        uint crc = Crc32C.Append(Crc32C.Begin, member.AsSpan(0, HeaderBytes + payload - 4));
        BinaryPrimitives.WriteUInt32LittleEndian(at[8..], crc);
        Empty.CopyTo(at[EndBytes..]);
        return member;
    }

    /// <summary>The table of a file.</summary>
    /// <exception cref="SluiceLogDamagedException">It has none that is whole.</exception>
    public static BlockTable Read(SluiceHandle file)
    {
        Span<byte> last = stackalloc byte[EndBytes + 10];
        long fileBytes = file.Length;
        if (fileBytes < last.Length
            || file.Read(last, fileBytes - last.Length) < last.Length
            || !last[EndBytes..].SequenceEqual(Empty)
            || !last[4..8].SequenceEqual(Magic))
        {
            throw Damage(file, fileBytes, "it is compressed, and does not end in a table of its blocks: it was cut, or is not a log's");
        }

        int count = BinaryPrimitives.ReadInt32LittleEndian(last);
        long bytes = HeaderBytes + FixedBytes + ((long)count * EntryBytes) + EndBytes;
        long at = fileBytes - Empty.Length - bytes;
        if (count is < 1 or > MaxBlocks || at < 0)
        {
            throw Damage(file, fileBytes, "the table of its blocks has a length that it cannot have");
        }

        byte[] table = new byte[bytes];
        if (file.Read(table, at) < table.Length
            || !table.AsSpan(0, Begin.Length).SequenceEqual(Begin)
            || Crc32C.Append(Crc32C.Begin, table.AsSpan(0, table.Length - 4))
                != BinaryPrimitives.ReadUInt32LittleEndian(table.AsSpan(table.Length - 4))
            || table[HeaderBytes] != Version)
        {
            throw Damage(file, at, "the sum of the table of its blocks is wrong, or its version is unknown");
        }

        return Check(table, count, at) ?? throw Damage(file, at, "the table of its blocks says what cannot be");
    }

    private static SluiceLogDamagedException Damage(SluiceHandle file, long offset, string reason) => new(file.Path, offset, 0, reason);

    /// <summary>Null where the numbers do not agree: no memory is taken for what the blocks cannot have.</summary>
    private static BlockTable? Check(ReadOnlySpan<byte> bytes, int count, long end)
    {
        ReadOnlySpan<byte> payload = bytes[HeaderBytes..];
        int blockBytes = BinaryPrimitives.ReadInt32LittleEndian(payload[4..]);
        long length = BinaryPrimitives.ReadInt64LittleEndian(payload[8..]);
        if (blockBytes is < 1 or > MaxBlockBytes || length <= (count - 1L) * blockBytes || length > (long)count * blockBytes)
        {
            return null;
        }

        long[] starts = new long[count];
        for (int i = 0; i < count; i++)
        {
            starts[i] = BinaryPrimitives.ReadInt64LittleEndian(payload[(FixedBytes + (i * EntryBytes))..]);
        }

        BlockTable table = new(blockBytes, length, starts, end);
        for (int i = 0; i < count; i++)
        {
            (long from, long to) = table.PlaceOf(i);
            if (from < 0 || to <= from || to > end || (i == 0 && from != 0) || table.BytesOf(i) > (to - from) * MaxRatio)
            {
                return null;
            }
        }

        return table;
    }
}
