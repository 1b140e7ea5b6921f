using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The segments of a folder that have records of the log, in order, checked against one another.</summary>
internal sealed class LogCatalog
{
    private readonly LogFolder _folder;
    private readonly Action<SluiceLogDamagedException> _report;

    /// <summary>Reads log.state. Called after the files have been read, so that it is not older than they are.</summary>
    private readonly Func<LogState?> _state;

    private LogCatalog(LogFolder folder, Action<SluiceLogDamagedException> report, Func<LogState?> state) =>
        (_folder, _report, _state) = (folder, report, state);

    /// <summary>The segments that have records, or may get some.</summary>
    public List<SegmentInfo> Segments { get; } = [];

    /// <summary>
    /// The newest segment that was written to, begun or not. A segment that was created ahead can follow it. The newest of all if none was
    /// written to; null if there is none.
    /// </summary>
    public SegmentInfo? Newest { get; private set; }

    /// <summary>Files that have no records of the log.</summary>
    public List<string> Superfluous { get; } = [];

    /// <summary>Those of <see cref="Superfluous"/> that have a header and zeros in place of the opening.</summary>
    public List<SegmentInfo> MadeAhead { get; } = [];

    /// <summary>
    /// Files behind a segment whose end was never synced, and is gone: a power cut may leave later writes without earlier ones. The log
    /// ends before them.
    /// </summary>
    public List<string> LostSegments { get; } = [];

    /// <summary>Segments without a footer that others follow, gone over as a whole, and where each ends.</summary>
    public List<(SegmentInfo Info, SegmentEnd End)> Unsealed { get; } = [];

    /// <summary>
    /// Damaged files and their ids, in ascending order. A reader reports one when it comes to it, and can read what precedes it.
    /// </summary>
    public List<(long Id, SluiceLogDamagedException Damage)> DamagedFiles { get; } = [];

    /// <summary>The log that the oldest file belongs to; empty if there is none.</summary>
    public Guid LogId { get; private set; }

    /// <summary>The ids of the files, in ascending order.</summary>
    public List<long> Ids { get; private set; } = [];

    /// <summary>The largest id; 0 if there are no files.</summary>
    public long LargestId => Ids is [.., long last] ? last : 0;

    /// <summary>Reads headers, openings and footers, as a reader does: segments are not compared with one another.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="report">Called with each damage that is not that of a file; it throws, or the catalog goes on without it.</param>
    /// <param name="state">Reads log.state.</param>
    /// <param name="fromId">Segments with smaller ids are left out.</param>
    public static LogCatalog Read(
        LogFolder folder, Action<SluiceLogDamagedException> report, Func<LogState?> state, long fromId = 0)
    {
        LogCatalog catalog = new(folder, report, state);
        catalog.ReadSegments(fromId);

        // A reader begins where a footer says, without having read what comes before. Therefore only a footer is trusted that leads to the
        // next segment: in a file that was cut within a record, that record's content may look like a footer.
        List<SegmentInfo> all = catalog.Segments;
        for (int i = 0; i < all.Count; i++)
        {
            if (i == all.Count - 1 || !Leads(all[i], all[i + 1]))
            {
                all[i].DistrustFooter();
            }
        }

        return catalog;
    }

    /// <summary>
    /// Reads headers, openings and footers, and those segments as a whole that have no footer and are not the last, from the disk.
    /// </summary>
    /// <param name="folder">The folder.</param>
    /// <param name="settings">The options.</param>
    /// <param name="state">What is known of the log from its last writer.</param>
    /// <exception cref="SluiceLogDamagedException">It is not as it was acknowledged.</exception>
    public static LogCatalog ReadChecked(LogFolder folder, LogSettings settings, LogState? state)
    {
        LogCatalog catalog = new(folder, static damage => throw damage, () => state);
        catalog.ReadSegments(fromId: 0);
        if (catalog.DamagedFiles is [(_, { } damage), ..])
        {
            throw damage;
        }

        catalog.CheckOrder(settings, state);
        return catalog;
    }

    /// <summary>Describes a segment that is missing before another one.</summary>
    /// <param name="before">The path of the segment before it.</param>
    /// <param name="next">The segment after it.</param>
    /// <param name="sequence">The first record that is missing.</param>
    public SluiceLogDamagedException Missing(string before, SegmentInfo next, long sequence)
    {
        // Its file may have been emptied.
        string? emptied = Superfluous.Find(p => _folder.IdOf(p) > _folder.IdOf(before) && _folder.IdOf(p) < next.Id);
        return new SluiceLogDamagedException(emptied ?? _folder.Path, -1, sequence, LogErrors.Missing(before, next.Path));
    }

    private void ReadSegments(long fromId)
    {
        List<SegmentInfo> all = [];
        do
        {
            ReadFiles(fromId, all);
            LogId = all is [{ Header.LogId: var logId }, ..] ? logId : Guid.Empty;
            Newest = null;
            foreach (SegmentInfo segment in all.Where(s => s.Header.LogId == LogId))
            {
                if (segment.HasBegun || segment.TornOpening is not null || Newest is null or { HasBegun: false, TornOpening: null })
                {
                    Newest = segment;
                }

                if (segment.HasBegun)
                {
                    Segments.Add(segment);
                }
            }
        }
        while (!TryLeaveOutBehindLostOpening(all));

        foreach (SegmentInfo segment in all)
        {
            if (segment.Header.LogId != LogId)
            {
                _report(new SluiceLogDamagedException(segment.Path, 0, 0, "it is a segment of another log"));
            }
            else if (!segment.HasBegun && segment != Newest)
            {
                if (segment.TornOpening is { } reason && segment.Id < Newest!.Id)
                {
                    _report(new SluiceLogDamagedException(segment.Path, LogLayout.HeaderBytes, 0, reason));
                }
                else
                {
                    Superfluous.Add(segment.Path);
                    MadeAhead.Add(segment);
                }
            }
        }

        DamagedFiles.Sort(static (a, b) => a.Id.CompareTo(b.Id));
    }

    /// <summary>
    /// Reads what each file says of itself. Lists the folder again if the last file that was listed is gone: a reader that is overtaken
    /// between the listing and the files may find none of them although there are later ones.
    /// </summary>
    private void ReadFiles(long fromId, List<SegmentInfo> all)
    {
        long gone = -1;
        bool isAgain;
        do
        {
            // Ids are not used again, so that a sealed segment that was just read need not be read again.
            Dictionary<long, SegmentInfo> known = all.Where(static s => s.IsSealed).ToDictionary(static s => s.Id);
            all.Clear();
            Segments.Clear();
            DamagedFiles.Clear();
            Superfluous.Clear();
            bool isGone = false;
            Ids = _folder.List();
            Ids.RemoveAll(id => id < fromId);
            foreach (long id in Ids)
            {
                isGone = false;
                if (known.TryGetValue(id, out SegmentInfo? before))
                {
                    all.Add(before);
                    continue;
                }

                try
                {
                    using SluiceHandle file = _folder.OpenToRead(id);
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
                    DamagedFiles.Add((id, e));
                }
                catch (FileNotFoundException)
                {
                    // Removed since the folder was listed.
                    isGone = true;
                }
            }

            // A name that is listed and leads nowhere, time and again, is nobody's segment.
            isAgain = isGone && LargestId != gone;
            gone = LargestId;
        }
        while (isAgain);
    }

    /// <summary>
    /// Handles files that have not begun although a later segment has. A header is on the disk before a later segment is created, so that a
    /// file without one is damaged; an empty one was removed and could not be deleted. If a file has a header, a power cut may have taken
    /// its opening, which no sync had written; what is behind it was not synced either, and the log ends before.
    /// </summary>
    /// <returns>False if one has begun, or was removed, since it was read.</returns>
    private bool TryLeaveOutBehindLostOpening(List<SegmentInfo> all)
    {
        long newest = Segments is [.., { Id: var id }] ? id : 0;
        foreach (string path in Superfluous.Where(p => _folder.IdOf(p) < newest && _folder.LookAt(p).Bytes > 0))
        {
            DamagedFiles.Add((_folder.IdOf(path), new SluiceLogDamagedException(
                path, 0, 0, "its header is gone, and segments behind it have records")));
        }

        foreach (SegmentInfo lost in all.Where(s => !s.HasBegun && s.Id < newest && s.Header.LogId == LogId))
        {
            if (HasBegunByNow(lost))
            {
                return false;
            }

            int next = Segments.FindIndex(s => s.Id > lost.Id);
            if (WereNeverDurable(next))
            {
                LeaveOutFrom(next, next > 0 ? Segments[next - 1] : lost);
                break;
            }

            _report(new SluiceLogDamagedException(
                lost.Path, LogLayout.HeaderBytes, 0, lost.TornOpening ?? "it has not begun, and segments behind it have"));
        }

        return true;
    }

    /// <summary>Returns true if a segment has begun since it was read, or was removed.</summary>
    private bool HasBegunByNow(SegmentInfo segment)
    {
        try
        {
            using SluiceHandle file = _folder.OpenToRead(segment.Id);
            return SegmentInfo.Read(file, segment.Id) is null or { HasBegun: true };
        }
        catch (FileNotFoundException)
        {
            return true;
        }
    }

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

            long expected = before.LastSequence + 1;
            if (segment.FirstSequence < expected)
            {
                _report(new SluiceLogDamagedException(
                    segment.Path, LogLayout.HeaderBytes, segment.FirstSequence, LogErrors.BeginsBeforeEnd(before.Path)));
            }
            else if (segment.FirstSequence > expected)
            {
                if (!before.EndsWithFooter && WereNeverDurable(i))
                {
                    LeaveOutFrom(i, before);
                    return;
                }

                _report(before.IsSealed
                    ? Missing(before.Path, segment, expected)
                    : new SluiceLogDamagedException(before.Path, offset, expected, reason!));
            }
        }
    }

    /// <summary>
    /// Returns true if the segments from an index on may have reached the disk before what comes before them: the machine was restarted, and
    /// no footer in them says that everything earlier is on the disk.
    /// </summary>
    private bool WereNeverDurable(int index) =>
        LogState.MayBeOfEarlierBoot(_state()) && Segments.Skip(index).All(static s => !s.EndsWithFooter);

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
