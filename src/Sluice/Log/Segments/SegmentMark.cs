namespace Sluice.Log.Segments;

/// <summary>
/// A frame's border in a segment that is written: what is before it, the last record there, where zeros end that were written ahead, and
/// how often the file may have been cut before.
/// </summary>
internal readonly record struct SegmentMark(SegmentFile Segment, long Offset, uint Chain, long LastSequence, long ZerosTo, int Cuts);
