namespace Sluice.Log.Segments;

/// <summary>
/// A frame's border in a segment that is written: what is before it, the last record there, and where zeros end that were written ahead.
/// </summary>
internal readonly record struct SegmentMark(SegmentFile Segment, long Offset, uint Chain, long LastSequence, long ZerosTo);
