namespace Sluice.Log.Frames;

/// <summary>The totals of a segment in its footer.</summary>
internal readonly record struct SegmentTotals(long Records, long LastSequence, long FirstTime, long LastTime);
