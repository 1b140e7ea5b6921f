namespace Sluice.Log.Segments;

/// <summary>
/// How far a segment was written at a moment: the offset behind the last frame, its last record, the end of the zeros written ahead, and
/// how often the file had been truncated.
/// </summary>
internal readonly record struct SegmentMark(SegmentFile Segment, long Offset, long LastSequence, long ZerosTo, int Cuts);
