namespace Sluice.Log;

/// <summary>A frame's border in a segment that is written: what is before it, and the last record there.</summary>
internal readonly record struct SegmentMark(SegmentFile Segment, long Offset, uint Chain, long LastSequence);
