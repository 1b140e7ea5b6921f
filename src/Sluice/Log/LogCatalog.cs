namespace Sluice.Log;

/// <summary>The segments of a folder that have records of the log, in order, checked against one another.</summary>
internal sealed class LogCatalog
{
    private readonly LogFolder _folder;
    private readonly Action<SluiceLogDamagedException> _report;

    private LogCatalog(LogFolder folder, Action<SluiceLogDamagedException> report) => (_folder, _report) = (folder, report);

    /// <summary>The segments that have records, or may get some; what later ones have taken back as a whole is not among them.</summary>
    public List<SegmentInfo> Segments { get; } = [];

    /// <summary>
    /// The newest segment that was written to, begun or not; behind it may be one that was made ahead and has a header alone. The newest of
    /// all where none was written to; null where there is none.
    /// </summary>
    public SegmentInfo? Newest { get; private set; }

    /// <summary>Files that hold nothing of the log: never begun, or taken back.</summary>
    public List<string> Superfluous { get; } = [];

    /// <summary>
    /// Files behind a segment whose end was never synced, and is gone: a power cut may leave later writes without earlier ones. The log
    /// ends before them.
    /// </summary>
    public List<string> LostSegments { get; } = [];

    /// <summary>The ids that files of the folder have, smallest first.</summary>
    public List<long> Ids { get; } = [];

    /// <summary>The largest of them.</summary>
    public long LargestId => Ids is [.., long last] ? last : 0;

    /// <summary>Reads headers, openings and footers, and those segments as a whole that have no footer and are not the last.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="report">Told of each damage; it throws, or the catalog goes on without what is damaged.</param>
    /// <param name="checksOrder">Whether segments are compared with one another.</param>
    /// <param name="fromId">Segments with smaller ids are left out.</param>
    public static LogCatalog Read(LogFolder folder, Action<SluiceLogDamagedException> report, bool checksOrder = true, long fromId = 0)
    {
        LogCatalog catalog = new(folder, report);
        catalog.ReadSegments(fromId);
        catalog.LeaveOutWhatWasTakenBack();
        if (checksOrder)
        {
            catalog.CheckOrder();
        }
        else
        {
            catalog.DistrustFooters();
        }

        return catalog;
    }

    private void ReadSegments(long fromId)
    {
        List<SegmentInfo> all = [];
        foreach (long id in _folder.List().SkipWhile(id => id < fromId))
        {
            Ids.Add(id);
            try
            {
                using SegmentContent file = _folder.OpenToRead(id);
                if (SegmentInfo.Read(file, id) is { } segment)
                {
                    all.Add(segment);
                }
                else
                {
                    Superfluous.Add(file.Path);
                }
            }
            catch (SluiceLogDamagedException e)
            {
                _report(e);
            }
            catch (FileNotFoundException)
            {
                // Removed since the folder was listed: by retention, or by whoever dropped it.
            }
        }

        foreach (SegmentInfo segment in all)
        {
            if (segment.Header.LogId != all[0].Header.LogId)
            {
                _report(new SluiceLogDamagedException(segment.Path, 0, 0, "it is a segment of another log"));
                continue;
            }

            if (segment.HasBegun || segment.TornOpening is not null || Newest is null or { HasBegun: false, TornOpening: null })
            {
                Newest = segment;
            }

            if (segment.HasBegun)
            {
                Segments.Add(segment);
            }
        }

        // One that never began is nothing, unless it is the newest that was written to: what is there may be a torn beginning.
        foreach (SegmentInfo segment in all.Where(s => !s.HasBegun && s != Newest))
        {
            if (segment.TornOpening is { } reason)
            {
                _report(new SluiceLogDamagedException(segment.Path, LogLayout.HeaderBytes, 0, reason));
            }
            else
            {
                Superfluous.Add(segment.Path);
            }
        }
    }

    private void LeaveOutWhatWasTakenBack()
    {
        long limit = long.MaxValue;
        for (int i = Segments.Count - 1; i >= 0; i--)
        {
            SegmentInfo segment = Segments[i];
            segment.TakenBackFrom = limit;
            if (segment.FirstSequence >= limit)
            {
                Superfluous.Add(segment.Path);
                Segments.RemoveAt(i);
            }

            if (segment.Restarts)
            {
                limit = Math.Min(limit, segment.FirstSequence);
            }
        }
    }

    /// <summary>
    /// A reader begins where a footer says, without having gone over what comes before. So it believes none but one that leads to the next
    /// segment: whoever wrote the last records of a file that was cut in their midst chose the bytes at its end.
    /// </summary>
    private void DistrustFooters()
    {
        for (int i = 0; i < Segments.Count; i++)
        {
            if (i == Segments.Count - 1 || !Leads(Segments[i], Segments[i + 1]))
            {
                Segments[i].DistrustFooter();
            }
        }
    }

    private static bool Leads(SegmentInfo from, SegmentInfo to) => from.IsSealed && from.LastSequence + 1 == to.FirstSequence;

    private void CheckOrder()
    {
        for (int i = 1; i < Segments.Count; i++)
        {
            SegmentInfo before = Segments[i - 1];
            SegmentInfo segment = Segments[i];
            string? reason = null;
            long offset = -1;
            if (!Leads(before, segment) && !before.IsCompressed)
            {
                using SegmentContent file = _folder.OpenToRead(before.Path);
                (FrameScanner scanner, FrameResult end, _) = before.Scan(file);
                reason = end == FrameResult.Bad ? scanner.Reason : "its records end here, and the next segment begins later";
                offset = scanner.Offset;
            }

            if (!before.EndsWithFooter && before.LastSequence + 1 < segment.FirstSequence && WereNeverDurable(i))
            {
                LeaveOutFrom(i);
                return;
            }

            long expected = Math.Min(before.LastSequence, before.TakenBackFrom - 1) + 1;
            if (segment.FirstSequence > expected)
            {
                _report(before.IsSealed
                    ? new SluiceLogDamagedException(
                        _folder.Path, -1, expected, $"a segment is missing between '{before.Path}' and '{segment.Path}'")
                    : new SluiceLogDamagedException(before.Path, offset, expected, reason!));
            }
            else if (segment.FirstSequence < expected)
            {
                _report(new SluiceLogDamagedException(
                    segment.Path, LogLayout.HeaderBytes, segment.FirstSequence, $"it begins before '{before.Path}' ends: a wrong order"));
            }
        }
    }

    /// <summary>
    /// Whether segments from one on may have reached the disk before what comes before them: a footer or a restart is written only when
    /// everything earlier is on the disk.
    /// </summary>
    private bool WereNeverDurable(int index) => Segments.Skip(index).All(static s => !s.EndsWithFooter && !s.Restarts);

    private void LeaveOutFrom(int index)
    {
        IEnumerable<string> lost = Segments.Skip(index).Select(static s => s.Path);
        LostSegments.AddRange(Newest is { HasBegun: false } newest ? lost.Append(newest.Path) : lost);
        Superfluous.AddRange(LostSegments);
        Segments.RemoveRange(index, Segments.Count - index);
        Newest = Segments[^1];
    }
}
