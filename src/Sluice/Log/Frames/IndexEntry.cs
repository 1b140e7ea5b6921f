namespace Sluice.Log.Frames;

/// <summary>An entry of a footer's index: a frame, and the checksum that it continues.</summary>
internal readonly record struct IndexEntry(long Sequence, long Time, long Offset, uint Chain);
