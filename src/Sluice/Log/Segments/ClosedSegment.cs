namespace Sluice.Log.Segments;

/// <summary>A segment that is not written any more.</summary>
internal readonly record struct ClosedSegment(string Path, long FirstSequence, long LastSequence, long LastTime, long Bytes)
{
    /// <summary>Of a framed one; else 0.</summary>
    public long Id { get; init; }

    /// <summary>A second file with the same content, which goes when the segment goes.</summary>
    public string? Copy { get; init; }

    /// <summary>When it was written last, by the clock of that moment; times of records stand still where a clock was set back.</summary>
    public long WrittenAt { get; init; } = long.MaxValue;

    /// <summary>Whether it has its footer, as far as is known.</summary>
    public bool IsSealed { get; init; }
}
