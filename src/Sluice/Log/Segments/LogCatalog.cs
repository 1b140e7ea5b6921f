using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The role of a file in a log's folder.</summary>
internal enum SegmentRole
{
    /// <summary>A segment that has begun: its records belong to the log.</summary>
    Log,

    /// <summary>
    /// A header without an opening: the segment was created ahead, is about to begin, or lost its opening in a power failure.
    /// </summary>
    NotBegun,

    /// <summary>
    /// No header and only zeros, or empty: the file was being created, or it was emptied because it could not be deleted.
    /// </summary>
    NoHeader,

    /// <summary>A segment after one whose records a power failure lost: it was never synced, and is not part of the log.</summary>
    NeverSynced,

    /// <summary>A file whose header is damaged.</summary>
    Damaged,

    /// <summary>A segment of another log, or one without an opening although later segments have begun.</summary>
    Foreign,
}

/// <summary>A file of a log's folder.</summary>
/// <param name="Id">The number in its name.</param>
/// <param name="Path">The path of the file.</param>
/// <param name="Role">The role of the file.</param>
/// <param name="Info">The header, opening and footer; null if there is no valid header.</param>
/// <param name="Damage">The damage of a damaged or foreign file; else null.</param>
internal sealed record CatalogFile(long Id, string Path, SegmentRole Role, SegmentInfo? Info, SluiceLogDamagedException? Damage = null);

/// <summary>The files of a log's folder in the order of their ids, with the content of their headers, openings and footers.</summary>
internal sealed class LogCatalog
{
    private readonly LogFolder _folder;

    /// <summary>Reads log.state. Called after the files have been read, so that it is not older than they are.</summary>
    private readonly Func<LogState?> _state;

    private LogCatalog(LogFolder folder, Func<LogState?> state) => (_folder, _state) = (folder, state);

    public List<CatalogFile> Files { get; private set; } = [];

    /// <summary>The segments that have begun.</summary>
    public List<SegmentInfo> Segments { get; private set; } = [];

    /// <summary>
    /// The newest segment that was written to, begun or not; else the newest that was created. A segment that was created ahead can follow
    /// it. Null if there is none.
    /// </summary>
    public SegmentInfo? Newest { get; private set; }

    /// <summary>The id of the log that the oldest file belongs to; empty if there is none.</summary>
    public Guid LogId { get; private set; }

    /// <summary>The largest id; 0 if there are no files.</summary>
    public long LargestId { get; private set; }

    /// <summary>Reads the header, the opening and the footer of each segment.</summary>
    /// <param name="folder">The folder.</param>
    /// <param name="state">Reads log.state.</param>
    /// <param name="fromId">Segments with smaller ids are left out.</param>
    public static LogCatalog Read(LogFolder folder, Func<LogState?> state, long fromId = 0)
    {
        LogCatalog catalog = new(folder, state);
        do
        {
            catalog.ReadFiles(fromId);
        }
        while (!catalog.TryExplainLostOpenings());
        catalog.Classify(s => !s.HasBegun && s.TornOpening is not null && s.Id < catalog.Newest!.Id, static s => s.TornOpening!);
        catalog.DistrustFooters();
        return catalog;
    }

    /// <summary>Returns true if a segment from an index on has a footer, so that everything before it is on the disk.</summary>
    public bool HasFooterFrom(int index) => Segments.FindIndex(index, static s => s.FooterOffset > 0) >= 0;

    /// <summary>Excludes the segments from an index on from the log, because they were never synced.</summary>
    public void LeaveOutFrom(int index)
    {
        long first = Segments[index].Id;
        Files = Files.ConvertAll(f => f.Id >= first && (f.Role == SegmentRole.Log || (f.Info == Newest && f.Role == SegmentRole.NotBegun))
            ? f with { Role = SegmentRole.NeverSynced } : f);
        Segments.RemoveRange(index, Segments.Count - index);
        Newest = index > 0 ? Segments[index - 1] : Files.Find(static f => f.Role == SegmentRole.NotBegun)?.Info;
    }

    /// <summary>
    /// Returns the path of an empty file between two segments: the file may have had the records that are missing. Returns null if there is
    /// none.
    /// </summary>
    public string? EmptiedBetween(long id, long nextId) =>
        Files.Find(f => f.Role == SegmentRole.NoHeader && f.Id > id && f.Id < nextId)?.Path;

    /// <summary>
    /// Reads each file. Lists the folder again if the last file that was listed is gone: a reader that is overtaken between the listing and
    /// the files may find none of them although there are later ones.
    /// </summary>
    private void ReadFiles(long fromId)
    {
        long gone = -1;
        while (true)
        {
            // Ids are not used again, so that a sealed segment that was just read need not be read again.
            Dictionary<long, CatalogFile> known = Files
                .Where(static f => f is { Role: SegmentRole.Log, Info.IsSealed: true }).ToDictionary(static f => f.Id);
            List<CatalogFile> files = [];
            LargestId = 0;
            foreach (long id in _folder.List().Where(id => id >= fromId))
            {
                LargestId = id;
                if ((known.TryGetValue(id, out CatalogFile? file) ? file : ReadFile(id)) is { } found)
                {
                    files.Add(found);
                }
            }

            Files = files;

            // A name that is listed repeatedly although its file does not exist is not a segment.
            if (LargestId == (files.Count > 0 ? files[^1].Id : 0) || LargestId == gone)
            {
                break;
            }

            gone = LargestId;
        }

        LogId = Files.Find(static f => f.Info is not null)?.Info!.Header.LogId ?? Guid.Empty;
        Classify(s => s.Header.LogId != LogId, static _ => "it is a segment of another log", 0);
        List<SegmentInfo> own = [.. Files.Where(static f => f.Role is SegmentRole.Log or SegmentRole.NotBegun).Select(static f => f.Info!)];
        Segments = own.FindAll(static s => s.HasBegun);
        Newest = own.FindLast(static s => s.HasBegun || s.TornOpening is not null) ?? own.LastOrDefault();
    }

    /// <summary>Returns null if the file was removed since the folder was listed.</summary>
    private CatalogFile? ReadFile(long id)
    {
        string path = _folder.PathOf(id);
        try
        {
            using SluiceHandle file = _folder.OpenToRead(id);
            SegmentInfo? info = SegmentInfo.Read(file, id);
            SegmentRole role = info is null ? SegmentRole.NoHeader : info.HasBegun ? SegmentRole.Log : SegmentRole.NotBegun;
            return new CatalogFile(id, path, role, info);
        }
        catch (SluiceLogDamagedException e)
        {
            return new CatalogFile(id, path, SegmentRole.Damaged, null, e);
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    /// <summary>
    /// Handles files that have not begun although a later segment has. A header is on the disk before a later segment is created, so that a
    /// file without one is damaged; an empty one was removed and could not be deleted. If a file has a header, a power failure may have
    /// lost its opening, which no sync had written; the segments after it were not synced either, and the log ends before it.
    /// </summary>
    /// <returns>False if one of these files has begun, or was removed, since it was read.</returns>
    private bool TryExplainLostOpenings()
    {
        long newest = Segments is [.., { Id: var id }] ? id : 0;
        Files = Files.ConvertAll(f => f.Role == SegmentRole.NoHeader && f.Id < newest && _folder.LookAt(f.Path)?.Bytes > 0
            ? f with
            {
                Role = SegmentRole.Damaged,
                Damage = new SluiceLogDamagedException(f.Path, 0, 0, "its header is gone, and later segments have records"),
            }
            : f);
        foreach (CatalogFile file in Files.FindAll(f => f.Role == SegmentRole.NotBegun && f.Id < newest))
        {
            if (HasBegunByNow(file.Id))
            {
                return false;
            }

            int next = Segments.FindIndex(s => s.Id > file.Id);
            if (!HasFooterFrom(next) && LogState.MayBeOfEarlierBoot(_state()))
            {
                LeaveOutFrom(next);
                break;
            }

            Classify(s => s == file.Info, static s => s.TornOpening ?? "it has not begun, and later segments have");
        }

        return true;
    }

    /// <summary>Returns true if a segment has begun since it was read, or was removed.</summary>
    private bool HasBegunByNow(long id) => ReadFile(id) is null or { Role: SegmentRole.Log or SegmentRole.NoHeader };

    /// <summary>
    /// Gives the files that match a condition the role <see cref="SegmentRole.Foreign"/>, and the reason as their damage.
    /// </summary>
    private void Classify(
        Predicate<SegmentInfo> isForeign, Func<SegmentInfo, string> reason, long offset = LogLayout.HeaderBytes) =>
        Files = Files.ConvertAll(f => f is { Role: SegmentRole.Log or SegmentRole.NotBegun, Info: { } info } && isForeign(info)
            ? f with { Role = SegmentRole.Foreign, Damage = new SluiceLogDamagedException(f.Path, offset, 0, reason(info)) } : f);

    /// <summary>
    /// Marks a footer as not trusted unless the next segment begins with the record after the footer's last one. A reader begins at an
    /// entry of the footer without having read the frames before it.
    /// </summary>
    private void DistrustFooters()
    {
        for (int i = 0; i < Segments.Count; i++)
        {
            if (i == Segments.Count - 1 || Segments[i].LastSequence + 1 != Segments[i + 1].FirstSequence)
            {
                Segments[i] = Segments[i] with { TrustsFooter = false };
            }
        }

        Newest = Newest is { HasBegun: true } ? Segments[^1] : Newest;
    }
}
