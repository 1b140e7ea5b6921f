namespace Sluice.Log.Frames;

/// <summary>The kind of a frame.</summary>
internal enum FrameKind : uint
{
    Opening = 1,
    Records = 2,
    Footer = 3,
}

/// <summary>The first 32 bytes of a frame.</summary>
/// <param name="Length">The length of the payload, without the zeros after it.</param>
/// <param name="Count">The number of records.</param>
/// <param name="FirstSequence">The sequence number of the first record.</param>
/// <param name="Time">The time of the last record.</param>
/// <param name="Kind">The kind of the frame.</param>
/// <param name="Crc">The checksum of the frame.</param>
internal readonly record struct FrameHeader(int Length, int Count, long FirstSequence, long Time, FrameKind Kind, uint Crc)
{
    /// <summary>The size of header, payload and zeros. No zeros follow a footer, see <see cref="LogLayout.MayEndWithFooter"/>.</summary>
    public int FrameBytes => LogLayout.FrameHeaderBytes + (Kind == FrameKind.Footer ? Length : LogLayout.Padded(Length));

    public long LastSequence => FirstSequence + Count - 1;
}
