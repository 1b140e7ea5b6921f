namespace Sluice.Log.Segments;

/// <summary>
/// The state of a segment at the start of a sync: the offset after the last frame, the last record, the end of the zeros written ahead, and
/// the number of truncations until then.
/// </summary>
internal readonly record struct SyncPoint(SegmentFile Segment, long Offset, long LastSequence, long ZerosTo, int Cuts);
