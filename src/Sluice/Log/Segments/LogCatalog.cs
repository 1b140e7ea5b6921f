using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The segments of a folder that have records of the log, in order, checked against one another.</summary>
internal sealed class LogCatalog
{
    private readonly LogFolder _folder;
    private readonly Action<SluiceLogDamagedException> _report;
    private readonly Dictionary<long, SegmentInfo> _known;
    private readonly Func<LogState?>? _state;

    /// <summary>Asked behind the look at the files.</summary>
    private readonly Func<LogState?> _stateBehind;

    /// <summary>Files without a header: nobody has begun them, unless a later segment says that records are there.</summary>
    private readonly List<(long Id, string Path)> _withoutHeader = [];

    private LogCatalog(
        LogFolder folder,
        Action<SluiceLogDamagedException> report,
        Dictionary<long, SegmentInfo> known,
        Func<LogState?>? state,
        Func<LogState?> stateBehind) =>
        (_folder, _report, _known, _state, _stateBehind) = (folder, report, known, state, stateBehind);

    /// <summary>The segments that have records, or may get some; what later ones have taken back as a whole is not among them.</summary>
    public List<SegmentInfo> Segments { get; } = [];

    /// <summary>
    /// The newest segment that was written to, begun or not; behind it may be one that was made ahead and has a header alone. The newest of
    /// all where none was written to; null where there is none.
    /// </summary>
    public SegmentInfo? Newest { get; private set; }

    /// <summary>Files that hold nothing of the log: never begun, or taken back.</summary>
    public List<string> Superfluous { get; } = [];

    /// <summary>Of them those that have a header, and zeros where the opening would be: nothing more, unless a power cut took that
    /// alone.</summary>
    public List<SegmentInfo> MadeAhead { get; } = [];

    /// <summary>
    /// Files behind a segment whose end was never synced, and is gone: a power cut may leave later writes without earlier ones. The log
    /// ends before them.
    /// </summary>
    public List<string> LostSegments { get; } = [];

    /// <summary>Segments without a footer that others follow, gone over as a whole, and where each ends.</summary>
    public List<(SegmentInfo Info, SegmentEnd End)> Unsealed { get; } = [];

    /// <summary>
    /// Gets damaged files and their ids, in ascending order. A reader reports one when it comes to it, and can read what precedes it.
    /// </summary>
    public List<(long Id, SluiceLogDamagedException Damage)> DamagedFiles { get; } = [];

    /// <summary>The log that the oldest file says it is of; empty where there is none.</summary>
    public Guid LogId { get; private set; }

    /// <summary>The ids that files of the folder have, smallest first.</summary>
    public List<long> Ids { get; } = [];

    /// <summary>The largest of them.</summary>
    public long LargestId => Ids is [.., long last] ? last : 0;

    /// <summary>Reads headers, openings and footers, as a reader does: segments are not compared with one another.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="report">Told of each damage; it throws, or the catalog goes on without what is damaged.</param>
    /// <param name="known">
    /// What was found before of sealed segments, which do not change any more; what is found is added. So that neither a writer is quicker
    /// than a look at thousands, nor who goes from one to the next looks at all that follow. Whoever finds that a file has gone from its
    /// place removes it.
    /// </param>
    /// <param name="fromId">Segments with smaller ids are left out; this one is looked at anew.</param>
    /// <param name="state">Asked what was on the disk, where an opening is not there that segments behind it need.</param>
    public static LogCatalog Read(
        LogFolder folder, Action<SluiceLogDamagedException> report, Dictionary<long, SegmentInfo> known, long fromId = 0,
        Func<LogState?>? state = null)
    {
        LogCatalog catalog = new(folder, report, known, state, state ?? (static () => null));
        catalog.ReadSegments(fromId);
        catalog.DistrustFooters();
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
        LogCatalog catalog = new(folder, static damage => throw damage, [], state: null, () => state);
        catalog.ReadSegments(fromId: 0);
        catalog.CheckOrder(settings, state);
        return catalog;
    }

    /// <summary>Returns true if a segment and the one after it have footers, and are not the newest: neither changes any more.</summary>
    public bool HasSealedNext(long id)
    {
        int index = Segments.FindIndex(s => s.Id == id);
        return index >= 0 && index < Segments.Count - 2 && Segments[index].IsSealed && Segments[index + 1].IsSealed;
    }

    /// <summary>Returns true if a segment's recorded predecessor is missing on disk while an older segment exists.</summary>
    /// <param name="segment">The one.</param>
    /// <param name="before">The id of the one that is found before it.</param>
    public bool IsMissing(SegmentInfo segment, long before) => segment.IdBefore > before && Ids.BinarySearch(segment.IdBefore) < 0;

    /// <summary>
    /// What is missing, by what segments say of one another and the state of the newest, and may have taken back what others have; null for
    /// nothing. What else is missing is found where its records are looked for.
    /// </summary>
    /// <param name="state">As it was before the folder was listed.</param>
    public SluiceLogDamagedException? FindMissing(LogState? state)
    {
        for (int i = 1; i < Segments.Count; i++)
        {
            if (Segments[i].TookBack && IsMissing(Segments[i], Segments[i - 1].Id)
                && (!WereNeverDurable(i) || Segments[i].DurableSegmentBy(state) > Segments[i - 1].Id))
            {
                return Missing(Segments[i - 1], Segments[i], 0);
            }
        }

        return state is { TookBack: true } && Segments is [.., SegmentInfo last] && last.DurableSegmentBy(state) > last.Id
            ? new SluiceLogDamagedException(_folder.Path, -1, 0, LogErrors.NewestIsGone(state.Value.SegmentId))
            : null;
    }

    /// <summary>
    /// What each file says of itself. Where the last that was listed is not there any more, the folder is listed again: whoever is
    /// overtaken between the listing and the look at the files finds none of them, and there are later ones.
    /// </summary>
    private List<SegmentInfo> ReadFiles(long fromId)
    {
        List<SegmentInfo> all = [];
        List<(long Id, SluiceLogDamagedException Damage)> damages = [];
        long gone = -1;
        bool isAgain;
        do
        {
            all.Clear();
            damages.Clear();
            DamagedFiles.Clear();
            Ids.Clear();
            Superfluous.Clear();
            MadeAhead.Clear();
            _withoutHeader.Clear();
            bool isGone = false;
            List<long> listed = _folder.List();
            ForgetRemoved(listed);
            foreach (long id in listed.SkipWhile(id => id < fromId))
            {
                Ids.Add(id);
                isGone = false;
                if (id != fromId && _known.TryGetValue(id, out SegmentInfo? before)
                    && _folder.LookAt(before.Path) == before.Stamp)
                {
                    // Others say of it what is true for them: whether it was taken back, and whether its footer is to be believed.
                    all.Add(before.Sketch());
                    continue;
                }

                try
                {
                    (long Bytes, long WrittenAt) stamp = _folder.LookAt(_folder.PathOf(id));
                    using SluiceHandle file = _folder.OpenToRead(id);
                    if (SegmentInfo.Read(file, id) is { } segment)
                    {
                        segment.Stamp = stamp;
                        all.Add(segment);
                        if (segment.IsSealed)
                        {
                            _known[id] = segment.Sketch();
                        }
                    }
                    else
                    {
                        Superfluous.Add(file.Path);
                        _withoutHeader.Add((id, file.Path));
                    }
                }
                catch (SluiceLogDamagedException e)
                {
                    damages.Add((id, e));
                }
                catch (FileNotFoundException)
                {
                    // Removed since the folder was listed: by retention, or by whoever dropped it.
                    isGone = true;
                }
            }

            // A name that is listed and leads nowhere, time and again, is nobody's segment.
            isAgain = isGone && LargestId != gone;
            gone = LargestId;
        }
        while (isAgain);
        damages.ForEach(d => ReportFile(d.Id, d.Damage));
        return all;
    }

    /// <summary>What others have removed meanwhile is not kept for as long as somebody reads.</summary>
    private void ForgetRemoved(List<long> listed)
    {
        if (_known.Count > listed.Count)
        {
            foreach (long id in _known.Keys.Where(id => listed.BinarySearch(id) < 0).ToArray())
            {
                _known.Remove(id);
            }
        }
    }

    private void ReadSegments(long fromId)
    {
        while (!TryReadSegments(fromId))
        {
            Segments.Clear();
            Newest = null;
        }

        DamagedFiles.Sort(static (a, b) => a.Id.CompareTo(b.Id));
    }

    /// <summary>Reports a damaged file to a writer at once; a reader reports it in its place.</summary>
    private void ReportFile(long id, SluiceLogDamagedException damage)
    {
        if (_state is null)
        {
            _report(damage);
        }
        else
        {
            DamagedFiles.RemoveAll(d => d.Id == id);
            DamagedFiles.Add((id, damage));
        }
    }

    /// <summary>False where a writer was quicker than the look at its files, which has to be taken once more.</summary>
    private bool TryReadSegments(long fromId)
    {
        List<SegmentInfo> all = ReadFiles(fromId);
        if (_known.Count > 0 && all.Exists(s => s.Header.LogId != all[0].Header.LogId))
        {
            // What was found before may be of a log that was here.
            _known.Clear();
            all = ReadFiles(fromId);
        }

        LogId = all is [{ Header.LogId: var logId }, ..] ? logId : Guid.Empty;
        foreach (SegmentInfo segment in all)
        {
            if (segment.Header.LogId != LogId)
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

        LeaveOutWhatWasTakenBack();
        if (!TryLeaveOutBehindLostOpening(all))
        {
            return false;
        }

        // One that never began is nothing, unless it is the newest that was written to: what is there may be a torn beginning.
        foreach (SegmentInfo segment in all.Where(s => !s.HasBegun && s != Newest))
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

        return true;
    }

    /// <summary>
    /// A segment has begun, and the one before it, whose file is there, has not: a power cut took that one's opening, which no sync had
    /// written, and what is behind it was not synced either; the log ends before. What was synced says that it is damage.
    /// </summary>
    /// <returns>False where it has begun since it was looked at.</returns>
    private bool TryLeaveOutBehindLostOpening(List<SegmentInfo> all)
    {
        Dictionary<long, SegmentInfo> notBegun = all.Where(static s => !s.HasBegun).ToDictionary(static s => s.Id);
        for (int i = 0; i < Segments.Count; i++)
        {
            long before = Segments[i].IdBefore;
            if (_withoutHeader.Find(f => f.Id == before) is { Path: { } emptied })
            {
                if (i == 0 && _folder.LookAt(emptied).Bytes == 0)
                {
                    // The oldest segments are removed first, and one that cannot be deleted is emptied.
                    continue;
                }

                // A header is on the disk before a segment behind it is made.
                ReportFile(before, new SluiceLogDamagedException(
                    emptied, 0, 0, "its header is gone, and the segment behind it says that records are in it"));
                continue;
            }

            if (!notBegun.TryGetValue(before, out SegmentInfo? lost))
            {
                continue;
            }

            if (HasBegunByNow(lost))
            {
                return false;
            }

            if (WereNeverDurable(i) && Segments[i].DurableSegmentBy(_state?.Invoke()) < Segments[i].Id)
            {
                LeaveOutFrom(i, i > 0 ? Segments[i - 1] : lost);
                break;
            }

            _report(new SluiceLogDamagedException(
                lost.Path, LogLayout.HeaderBytes, 0, lost.TornOpening ?? "it has not begun, and segments behind it have"));
        }

        return true;
    }

    /// <summary>Whether its writer has begun it since it was looked at, or somebody has removed it.</summary>
    private bool HasBegunByNow(SegmentInfo segment)
    {
        try
        {
            using SluiceHandle file = _folder.OpenToRead(segment.Id);
            return SegmentInfo.Read(file, segment.Id) is { HasBegun: true };
        }
        catch (FileNotFoundException)
        {
            return true;
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
