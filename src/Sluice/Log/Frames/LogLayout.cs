using System.Buffers.Binary;

namespace Sluice.Log.Frames;

/// <summary>The constants and structures of docs/log-format.md.</summary>
internal static class LogLayout
{
    public const int HeaderBytes = 64;
    public const int FrameHeaderBytes = 32;
    public const int RecordHeaderBytes = 4;
    public const int MaxRecordBytes = (1 << 30) - 1 - 4096;

    /// <summary>The maximum size of a frame that a header may specify, in bytes.</summary>
    public const int MaxFrameBytes = 1 << 30;

    /// <summary>The version of the segment format.</summary>
    public const byte Version = 2;
    public const int OpeningPayloadBytes = 8;
    public const int FooterFixedBytes = 40;
    public const int FooterEntryBytes = 32;
    public const int TrailerBytes = 20;

    // The header of a record is its length, and in the two highest bits its durability or, for a withdrawn record, the value 3.
    public const uint Withdrawn = 3u << DurabilityShift;
    public const uint LengthMask = (1u << DurabilityShift) - 1;
    private const int DurabilityShift = 30;

    /// <summary>The minimum distance between two entries of a footer's index, in bytes.</summary>
    public const int IndexEveryBytes = 256 * 1024;

    /// <summary>Returns the maximum payload of a footer at an offset: the size of the data limits the number of entries.</summary>
    public static long MaxFooterBytes(long offset) =>
        FooterFixedBytes + TrailerBytes + ((4 + (offset / (IndexEveryBytes / 16))) * FooterEntryBytes);

    private static ReadOnlySpan<byte> FooterMagic => "SLFT"u8;

    /// <summary>
    /// Returns true if a file of this length may end with a footer: files that end with another frame have a length that is a multiple of
    /// 8.
    /// </summary>
    public static bool MayEndWithFooter(long length) => length % 8 == TrailerBytes % 8;

    public static int Padded(int bytes) => (bytes + 7) & ~7;

    /// <summary>
    /// Converts a time to the format of frames. Times before 1677 and after 2262 become the first and the last possible ones.
    /// </summary>
    public static long ToNanoseconds(DateTime utc) =>
        Math.Clamp(utc.Ticks - DateTime.UnixEpoch.Ticks, long.MinValue / 100, long.MaxValue / 100) * 100;

    /// <summary>
    /// The earliest plausible time: no log was written before, so that an earlier time comes from a clock that was not set.
    /// </summary>
    public static long FirstTime => ToNanoseconds(new DateTime(2026, 1, 1, 0, 0, 0, DateTimeKind.Utc));

    public static DateTimeOffset ToTime(long nanoseconds) => new(DateTime.UnixEpoch.AddTicks(nanoseconds / 100));

    public static void WriteFrameHeader(Span<byte> frame, in FrameHeader header)
    {
        BinaryPrimitives.WriteInt32LittleEndian(frame, header.Length);
        BinaryPrimitives.WriteInt32LittleEndian(frame[4..], header.Count);
        BinaryPrimitives.WriteInt64LittleEndian(frame[8..], header.FirstSequence);
        BinaryPrimitives.WriteInt64LittleEndian(frame[16..], header.Time);
        BinaryPrimitives.WriteUInt32LittleEndian(frame[24..], (uint)header.Kind);
    }

    /// <summary>Writes the checksum of a frame whose header, payload and padding are in place, and returns it.</summary>
    public static uint Sign(Span<byte> frame, uint chain)
    {
        uint crc = SumOf(frame, chain);
        BinaryPrimitives.WriteUInt32LittleEndian(frame[28..], crc);
        return crc;
    }

    public static uint SumOf(ReadOnlySpan<byte> frame, uint chain) =>
        Crc32C.Append(Crc32C.Append(chain, frame[..28]), frame[FrameHeaderBytes..]);

    public static FrameHeader ReadFrameHeader(ReadOnlySpan<byte> frame) => new(
        BinaryPrimitives.ReadInt32LittleEndian(frame),
        BinaryPrimitives.ReadInt32LittleEndian(frame[4..]),
        BinaryPrimitives.ReadInt64LittleEndian(frame[8..]),
        BinaryPrimitives.ReadInt64LittleEndian(frame[16..]),
        (FrameKind)BinaryPrimitives.ReadUInt32LittleEndian(frame[24..]),
        BinaryPrimitives.ReadUInt32LittleEndian(frame[28..]));

    public static void WriteRecordHeader(Span<byte> record, int length, LogDurability durability) =>
        BinaryPrimitives.WriteUInt32LittleEndian(record, (uint)length | ((uint)durability << DurabilityShift));

    /// <summary>Reads the record at an offset in the payload of a frame, and moves the offset to the next one.</summary>
    /// <returns>False if the record is longer than the frame: the program that wrote the frame violated the format.</returns>
    public static bool TryReadRecord(ReadOnlySpan<byte> payload, ref int offset, out ReadOnlySpan<byte> record, out bool isWithdrawn)
    {
        record = default;
        ReadOnlySpan<byte> rest = payload[offset..];
        uint header = rest.Length >= RecordHeaderBytes ? BinaryPrimitives.ReadUInt32LittleEndian(rest) : uint.MaxValue;
        int length = (int)(header & LengthMask);
        isWithdrawn = header >= Withdrawn;
        if (length > rest.Length - RecordHeaderBytes)
        {
            return false;
        }

        record = rest.Slice(RecordHeaderBytes, length);
        offset += RecordHeaderBytes + length;
        return true;
    }

    /// <summary>Returns a complete footer frame with its checksum.</summary>
    /// <param name="totals">The totals of the segment.</param>
    /// <param name="index">The index of the segment.</param>
    /// <param name="offset">The offset of the footer.</param>
    /// <param name="chain">The checksum that the footer continues.</param>
    /// <param name="headerChain">The checksum in the segment's header.</param>
    public static byte[] MakeFooter(
        in SegmentTotals totals, IReadOnlyList<IndexEntry> index, long offset, uint chain, uint headerChain)
    {
        int length = FooterFixedBytes + (index.Count * FooterEntryBytes) + TrailerBytes;
        byte[] frame = new byte[FrameHeaderBytes + length];
        WriteFrameHeader(frame, new FrameHeader(length, 0, totals.LastSequence + 1, totals.LastTime, FrameKind.Footer, 0));
        Span<byte> payload = frame.AsSpan(FrameHeaderBytes);
        BinaryPrimitives.WriteInt64LittleEndian(payload, totals.Records);
        BinaryPrimitives.WriteInt64LittleEndian(payload[8..], totals.LastSequence);
        BinaryPrimitives.WriteInt64LittleEndian(payload[16..], totals.FirstTime);
        BinaryPrimitives.WriteInt64LittleEndian(payload[24..], totals.LastTime);
        BinaryPrimitives.WriteInt32LittleEndian(payload[32..], index.Count);
        Span<byte> at = payload[FooterFixedBytes..];
        foreach (IndexEntry entry in index)
        {
            BinaryPrimitives.WriteInt64LittleEndian(at, entry.Sequence);
            BinaryPrimitives.WriteInt64LittleEndian(at[8..], entry.Time);
            BinaryPrimitives.WriteInt64LittleEndian(at[16..], entry.Offset);
            BinaryPrimitives.WriteUInt32LittleEndian(at[24..], entry.Chain);
            at = at[FooterEntryBytes..];
        }

        BinaryPrimitives.WriteInt64LittleEndian(at, offset);
        BinaryPrimitives.WriteUInt32LittleEndian(at[8..], chain);
        BinaryPrimitives.WriteUInt32LittleEndian(at[12..], Crc32C.Append(headerChain, at[..12]));
        FooterMagic.CopyTo(at[16..]);
        _ = Sign(frame, chain);
        return frame;
    }

    /// <summary>Reads the offset of the footer from the last bytes of a file. Returns false if there is no trailer.</summary>
    public static bool TryReadTrailer(ReadOnlySpan<byte> trailer, uint headerChain, out long offset, out uint chain)
    {
        offset = BinaryPrimitives.ReadInt64LittleEndian(trailer);
        chain = BinaryPrimitives.ReadUInt32LittleEndian(trailer[8..]);
        return trailer[16..TrailerBytes].SequenceEqual(FooterMagic)
            && BinaryPrimitives.ReadUInt32LittleEndian(trailer[12..]) == Crc32C.Append(headerChain, trailer[..12]);
    }

    /// <summary>Reads the payload of a footer whose checksum is valid. Returns false if the content is not that of a footer.</summary>
    public static bool TryReadFooter(ReadOnlySpan<byte> payload, out SegmentTotals totals, out IndexEntry[] index)
    {
        totals = default;
        index = [];
        if (payload.Length < FooterFixedBytes + TrailerBytes)
        {
            return false;
        }

        int entries = BinaryPrimitives.ReadInt32LittleEndian(payload[32..]);
        if (entries < 0 || entries > (payload.Length - FooterFixedBytes - TrailerBytes) / FooterEntryBytes)
        {
            return false;
        }

        totals = new SegmentTotals(
            BinaryPrimitives.ReadInt64LittleEndian(payload),
            BinaryPrimitives.ReadInt64LittleEndian(payload[8..]),
            BinaryPrimitives.ReadInt64LittleEndian(payload[16..]),
            BinaryPrimitives.ReadInt64LittleEndian(payload[24..]));
        index = new IndexEntry[entries];
        for (int i = 0; i < entries; i++)
        {
            ReadOnlySpan<byte> at = payload.Slice(FooterFixedBytes + (i * FooterEntryBytes), FooterEntryBytes);
            index[i] = new IndexEntry(
                BinaryPrimitives.ReadInt64LittleEndian(at),
                BinaryPrimitives.ReadInt64LittleEndian(at[8..]),
                BinaryPrimitives.ReadInt64LittleEndian(at[16..]),
                BinaryPrimitives.ReadUInt32LittleEndian(at[24..]));
        }

        return true;
    }
}
