using System.Buffers.Binary;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The first 64 bytes of a segment.</summary>
/// <param name="Id">The number in the name of the file.</param>
/// <param name="MaxFrameBytes">The maximum size of a frame, including its header.</param>
/// <param name="Salt">A random number.</param>
/// <param name="LogId">The id of the log, which is the same in all segments.</param>
/// <param name="Created">The creation time of the file.</param>
internal readonly record struct SegmentHeader(long Id, int MaxFrameBytes, long Salt, Guid LogId, long Created)
{
    private static ReadOnlySpan<byte> Magic => "SLUICELG"u8;

    /// <summary>Writes the header, and returns the checksum that the first frame continues.</summary>
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

    /// <summary>
    /// Reads a header. Returns null, or the reason why the bytes are not a header; a header with a valid checksum is returned in both
    /// cases.
    /// </summary>
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

        // These fields have the same offsets in all versions.
        return bytes[8] != LogLayout.Version
            ? $"it has version {bytes[8]} of the format, and this build reads only version {LogLayout.Version}"
            : header.MaxFrameBytes < LogLayout.FrameHeaderBytes ? "the header allows no frames"
            : header.MaxFrameBytes > LogLayout.MaxFrameBytes ? "the header allows larger frames than the format"
            : null;
    }
}
