using System.Buffers.Binary;

namespace Sluice.Log;

/// <summary>The numbers of docs/log-format.md.</summary>
internal static class LogLayout
{
    public const int HeaderBytes = 64;
    public const int FrameHeaderBytes = 32;
    public const int RecordHeaderBytes = 4;
    public const int MaxRecordBytes = (1 << 30) - 1 - 4096;

    /// <summary>No header may allow larger frames.</summary>
    public const int MaxFrameBytes = 1 << 30;

    /// <summary>Of segments.</summary>
    public const byte Version = 2;
    public const int OpeningPayloadBytes = 8;
    public const int FooterFixedBytes = 40;
    public const int FooterEntryBytes = 32;
    public const int TrailerBytes = 20;
    public const uint Withdrawn = 3u << 30;
    public const uint LengthMask = (1u << 30) - 1;

    /// <summary>Distance of two entries of a footer's index, at least.</summary>
    public const int IndexEveryBytes = 256 * 1024;

    private static ReadOnlySpan<byte> FooterMagic => "SLFT"u8;

    /// <summary>Whether a file of a length may end with a footer: all other frames end where 8 divides.</summary>
    public static bool MayEndWithFooter(long length) => length % 8 == TrailerBytes % 8;

    public static int Padded(int bytes) => (bytes + 7) & ~7;

    /// <summary>A time as frames have it; before 1677 and after 2262 the first and the last that they can have.</summary>
    public static long ToNanoseconds(DateTime utc) =>
        Math.Clamp(utc.Ticks - DateTime.UnixEpoch.Ticks, long.MinValue / 100, long.MaxValue / 100) * 100;

    /// <summary>No log was written before: a time before that is one of a clock that was not set.</summary>
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

    /// <summary>Writes the sum of a frame whose header, payload and zeros are in place; returns it.</summary>
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

    /// <summary>A whole footer frame, its sum included.</summary>
    /// <param name="totals">Of the segment.</param>
    /// <param name="index">Of the segment.</param>
    /// <param name="offset">Where it goes.</param>
    /// <param name="chain">The sum that it goes on from.</param>
    /// <param name="headerChain">The sum in the segment's header.</param>
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

    /// <summary>Where the footer is, from the last bytes of a file; false where the file has none.</summary>
    public static bool TryReadTrailer(ReadOnlySpan<byte> trailer, uint headerChain, out long offset, out uint chain)
    {
        offset = BinaryPrimitives.ReadInt64LittleEndian(trailer);
        chain = BinaryPrimitives.ReadUInt32LittleEndian(trailer[8..]);
        return trailer[16..TrailerBytes].SequenceEqual(FooterMagic)
            && BinaryPrimitives.ReadUInt32LittleEndian(trailer[12..]) == Crc32C.Append(headerChain, trailer[..12]);
    }

    /// <summary>What a footer's payload, whose sum was right, says; false where it is not as a footer is.</summary>
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

/// <summary>What a frame is.</summary>
internal enum FrameKind : uint
{
    Opening = 1,
    Records = 2,
    Footer = 3,
}

/// <summary>The first 32 bytes of a frame.</summary>
/// <param name="Length">Of the payload, without the zeros behind it.</param>
/// <param name="Count">How many records.</param>
/// <param name="FirstSequence">Sequence of the first.</param>
/// <param name="Time">When the last of them had come.</param>
/// <param name="Kind">What it is.</param>
/// <param name="Crc">Its sum.</param>
internal readonly record struct FrameHeader(int Length, int Count, long FirstSequence, long Time, FrameKind Kind, uint Crc)
{
    /// <summary>Header, payload and zeros; behind a footer stand none, see <see cref="LogLayout.MayEndWithFooter"/>.</summary>
    public int FrameBytes => LogLayout.FrameHeaderBytes + (Kind == FrameKind.Footer ? Length : LogLayout.Padded(Length));

    public long LastSequence => FirstSequence + Count - 1;
}

/// <summary>An entry of a footer's index: a frame, and the sum that it goes on from.</summary>
internal readonly record struct IndexEntry(long Sequence, long Time, long Offset, uint Chain);

/// <summary>What a footer says of its segment.</summary>
internal readonly record struct SegmentTotals(long Records, long LastSequence, long FirstTime, long LastTime);

/// <summary>The first 64 bytes of a segment.</summary>
/// <param name="Id">The number in its name.</param>
/// <param name="MaxFrameBytes">The most that a frame has, its own header included.</param>
/// <param name="Salt">Random.</param>
/// <param name="LogId">Equal in all segments of a log.</param>
/// <param name="Created">When the file was made.</param>
internal readonly record struct SegmentHeader(long Id, int MaxFrameBytes, long Salt, Guid LogId, long Created)
{
    private static ReadOnlySpan<byte> Magic => "SLUICELG"u8;

    /// <summary>Writes the header; returns the sum that the first frame goes on from.</summary>
    public uint Write(Span<byte> header)
    {
        header[..LogLayout.HeaderBytes].Clear();
        Magic.CopyTo(header);
        header[8] = LogLayout.Version;
        BinaryPrimitives.WriteInt32LittleEndian(header[12..], MaxFrameBytes);
        BinaryPrimitives.WriteInt64LittleEndian(header[16..], Id);
        BinaryPrimitives.WriteInt64LittleEndian(header[24..], Salt);
        _ = LogId.TryWriteBytes(header[32..], bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(header[48..], Created);
        uint crc = Crc32C.Append(Crc32C.Begin, header[..60]);
        BinaryPrimitives.WriteUInt32LittleEndian(header[60..], crc);
        return crc;
    }

    /// <summary>Null and the header, or why these bytes are none; a header whose sum is right is given in both cases.</summary>
    public static string? Read(ReadOnlySpan<byte> bytes, out SegmentHeader header, out uint chain)
    {
        header = default;
        chain = 0;
        if (bytes.Length < LogLayout.HeaderBytes)
        {
            return "the file is shorter than a header";
        }

        if (!bytes[..8].SequenceEqual(Magic))
        {
            return "it does not begin as a segment does";
        }

        if (BinaryPrimitives.ReadUInt32LittleEndian(bytes[60..]) != Crc32C.Append(Crc32C.Begin, bytes[..60]))
        {
            return "the header's sum is wrong";
        }

        chain = BinaryPrimitives.ReadUInt32LittleEndian(bytes[60..]);
        header = new SegmentHeader(
            BinaryPrimitives.ReadInt64LittleEndian(bytes[16..]),
            BinaryPrimitives.ReadInt32LittleEndian(bytes[12..]),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[24..]),
            new Guid(bytes[32..48], bigEndian: true),
            BinaryPrimitives.ReadInt64LittleEndian(bytes[48..]));

        // Where these stand is the same in all versions.
        return bytes[8] != LogLayout.Version
            ? $"it has version {bytes[8]} of the format, and this build reads version {LogLayout.Version} alone"
            : header.MaxFrameBytes < LogLayout.FrameHeaderBytes ? "the header allows no frames"
            : header.MaxFrameBytes > LogLayout.MaxFrameBytes ? "the header allows larger frames than the format"
            : null;
    }
}
