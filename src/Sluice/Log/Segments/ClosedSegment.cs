namespace Sluice.Log.Segments;

/// <summary>A segment that is not written any more.</summary>
internal readonly record struct ClosedSegment(string Path, long FirstSequence, long LastSequence, long LastTime, long Bytes)
{
    /// <summary>Of a framed one; else 0.</summary>
    public long Id { get; init; }

    /// <summary>A second file with the same content, which goes when the segment goes.</summary>
    public string? Copy { get; init; }

    /// <summary>When it was written last.</summary>
    public long WrittenAt { get; init; } = long.MaxValue;

    /// <summary>
    /// Returns the greatest time of its records, or, if that time is yet to come because the clock was ahead, the time of its last write.
    /// </summary>
    public long TimeBy(long now) => LastTime <= now ? LastTime : WrittenAt;
}
