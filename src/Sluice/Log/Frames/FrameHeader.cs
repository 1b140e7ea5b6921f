namespace Sluice.Log.Frames;

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
