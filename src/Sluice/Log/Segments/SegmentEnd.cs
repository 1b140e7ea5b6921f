using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>Where a segment ends whose frames were gone over.</summary>
/// <param name="Offset">Where the next frame would begin.</param>
/// <param name="Chain">The sum that it would go on from.</param>
/// <param name="Index">The entries of its footer.</param>
internal readonly record struct SegmentEnd(long Offset, uint Chain, List<IndexEntry> Index);
