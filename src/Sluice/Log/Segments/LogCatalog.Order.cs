using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>Whether segments follow one another as their writer has left them.</summary>
internal sealed partial class LogCatalog
{
    private SluiceLogDamagedException Missing(SegmentInfo before, SegmentInfo segment, long sequence) =>
        new(_folder.Path, -1, sequence, LogErrors.Missing(before.Path, segment.Path));

    private static bool Leads(SegmentInfo from, SegmentInfo to) => from.IsSealed && from.LastSequence + 1 == to.FirstSequence;

    private void CheckOrder(LogSettings settings, LogState? state)
    {
        for (int i = 1; i < Segments.Count; i++)
        {
            SegmentInfo before = Segments[i - 1];
            SegmentInfo segment = Segments[i];
            string? reason = null;
            long offset = -1;
            if (!Leads(before, segment))
            {
                using SluiceHandle file = _folder.Open(before.Path, FileMode.Open, FileAccess.Read, settings);
                (FrameScanner scanner, FrameResult end, List<IndexEntry> index) = before.ScanFromDisk(file, settings, state);
                reason = end == FrameResult.Bad ? scanner.Reason : "its records end here, and the next segment begins later";
                offset = scanner.Offset;
                if (!before.EndsWithFooter)
                {
                    Unsealed.Add((before, new SegmentEnd(offset, scanner.Chain, index)));
                }
            }

            if (!before.EndsWithFooter && before.LastSequence + 1 < segment.FirstSequence && WereNeverDurable(i))
            {
                LeaveOutFrom(i, before);
                return;
            }

            if (IsMissing(segment, before.Id))
            {
                _report(Missing(before, segment, 0));
                continue;
            }

            long expected = Math.Min(before.LastSequence, before.TakenBackFrom - 1) + 1;
            if (segment.FirstSequence > expected)
            {
                _report(before.IsSealed
                    ? Missing(before, segment, expected)
                    : new SluiceLogDamagedException(before.Path, offset, expected, reason!));
            }
            else if (segment.FirstSequence < expected)
            {
                _report(new SluiceLogDamagedException(
                    segment.Path, LogLayout.HeaderBytes, segment.FirstSequence, LogErrors.BeginsBeforeEnd(before.Path)));
            }
        }
    }

    /// <summary>
    /// Returns true if the segments from an index on may have reached the disk before what comes before them: the machine was restarted, and
    /// nothing in them says that everything earlier is on the disk, as a footer or a restart does.
    /// </summary>
    private bool WereNeverDurable(int index) =>
        LogState.MayBeOfEarlierBoot(_stateBehind()) && Segments.Skip(index).All(static s => !s.EndsWithFooter && !s.Restarts);

    /// <param name="index">The first of <see cref="Segments"/> that is left out.</param>
    /// <param name="newest">The one before it.</param>
    private void LeaveOutFrom(int index, SegmentInfo newest)
    {
        IEnumerable<string> lost = Segments.Skip(index).Select(static s => s.Path);
        LostSegments.AddRange(Newest is { HasBegun: false } torn ? lost.Append(torn.Path) : lost);
        Superfluous.AddRange(LostSegments);
        Segments.RemoveRange(index, Segments.Count - index);
        Newest = newest;
    }
}
