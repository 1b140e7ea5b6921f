namespace Sluice.Log.Frames;

/// <summary>What a footer says of its segment.</summary>
internal readonly record struct SegmentTotals(long Records, long LastSequence, long FirstTime, long LastTime);
