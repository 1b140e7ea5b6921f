namespace Sluice.Log.Segments;

/// <summary>A segment that is not written any more.</summary>
internal readonly record struct ClosedSegment(string Path, long FirstSequence, long LastSequence, long LastTime, long Bytes)
{
    /// <summary>The id of a framed segment; otherwise, 0.</summary>
    public long Id { get; init; }

    /// <summary>A second file with the same content, which is removed with the segment.</summary>
    public string? Copy { get; init; }

    /// <summary>The time of the last write.</summary>
    public long WrittenAt { get; init; } = long.MaxValue;

    /// <summary>
    /// Returns the greatest time of its records, or, if that time is yet to come because the clock was ahead, the time of its last write.
    /// </summary>
    public long TimeBy(long now) => LastTime <= now ? LastTime : WrittenAt;
}
