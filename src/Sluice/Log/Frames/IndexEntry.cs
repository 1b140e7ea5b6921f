namespace Sluice.Log.Frames;

/// <summary>An entry of a footer's index: a frame, and the sum that it goes on from.</summary>
internal readonly record struct IndexEntry(long Sequence, long Time, long Offset, uint Chain);
