using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>What one segment of a folder says of itself.</summary>
internal sealed class SegmentInfo
{
    private long _openingTime;

    public required string Path { get; init; }

    public required long Id { get; init; }

    public required SegmentHeader Header { get; init; }

    /// <summary>The sum that its first frame goes on from.</summary>
    public required uint HeaderChain { get; init; }

    /// <summary>The checksum that the footer continues: that of all frames before it.</summary>
    private uint _footerChain;

    /// <summary>Whether it has an opening frame: else it has not begun.</summary>
    public bool HasBegun { get; set; }

    /// <summary>Where it has not begun: why what stands behind the header is no opening; null where nothing stands there.</summary>
    public string? TornOpening { get; private set; }

    /// <summary>Whether a footer was found.</summary>
    public bool IsSealed { get; set; }

    /// <summary>
    /// Where its footer is, by the end of the file; 0 where that does not say so. All before it was on the disk when it was written.
    /// </summary>
    public long FooterOffset { get; private set; }

    /// <summary>The last sequence that a footer which is not proven claims. Where a frame has a later one, there was no footer.</summary>
    public long UnprovenLastSequence { get; private set; } = long.MaxValue;

    /// <summary>Where its first frame of records is.</summary>
    public long FirstOffset { get; set; }

    /// <summary>The sum that that frame goes on from.</summary>
    public uint FirstChain { get; set; }

    public long FirstSequence { get; set; }

    /// <summary>Its last record: what the footer says, or what was found; meaningless before a segment without footer was
    /// scanned.</summary>
    public long LastSequence { get; set; }

    /// <summary>Gets the least time of its frames of records. Times go back if the clock is set back.</summary>
    public long FirstTime { get; set; }

    /// <summary>Gets the greatest time of its frames of records.</summary>
    public long LastTime { get; set; }

    /// <summary>Of the footer.</summary>
    public IndexEntry[] Index { get; private set; } = [];

    /// <summary>Whether the file ends as one with a footer does, though the footer itself be damaged: all that it has was on the
    /// disk.</summary>
    public bool EndsWithFooter => IsSealed || FooterOffset > 0;

    /// <summary>Reads header, opening and footer; an exception says what of them is not as it should be.</summary>
    /// <param name="path">The file.</param>
    /// <param name="id">By its name.</param>
    /// <returns>Null where the file has zeros behind a header that is not whole: it was being made.</returns>
    /// <exception cref="NotSupportedException">An earlier version has restarted the log.</exception>
    public static SegmentInfo? Read(string path, long id)
    {
        using SluiceHandle file = LogFile.OpenToRead(path);
        return Read(file, id);
    }

    /// <inheritdoc cref="Read(string, long)"/>
    public static SegmentInfo? Read(SluiceHandle file, long id)
    {
        if (!TryReadHeader(file, id, out SegmentHeader header, out uint chain))
        {
            return null;
        }

        SegmentInfo info = new()
        {
            Path = file.Path,
            Id = id,
            Header = header,
            HeaderChain = chain,
        };
        FrameScanner scanner = new(file, header.MaxFrameBytes, LogLayout.HeaderBytes, chain);
        FrameResult result = scanner.TryNext(out FrameHeader opening, out ReadOnlySpan<byte> payload);
        info.TornOpening = result == FrameResult.Bad ? scanner.Reason : null;
        if (result == FrameResult.Good && opening.Kind == FrameKind.Opening)
        {
            if (payload[..Math.Min(payload.Length, 2)].ContainsAnyExcept((byte)0))
            {
                throw new NotSupportedException(
                    $"'{file.Path}' belongs to a log in which an earlier version replaced records by later ones (a restart of the log), "
                    + "which this version does not read.");
            }

            info.HasBegun = true;
            (info.FirstSequence, info.LastSequence) = (opening.FirstSequence, opening.FirstSequence - 1);
            (info._openingTime, info.FirstTime, info.LastTime) = (opening.Time, opening.Time, opening.Time);
            (info.FirstOffset, info.FirstChain) = (scanner.Offset, scanner.Chain);
            info.TryReadFooter(file);
        }

        return info;
    }

    /// <summary>Returns true if the file has not begun, and has complete frames in spite of that.</summary>
    public bool HasFramesWithoutOpening()
    {
        try
        {
            using SluiceHandle file = LogFile.OpenToRead(Path);
            FrameScanner scanner = new(file, Header.MaxFrameBytes, LogLayout.HeaderBytes, HeaderChain, readsMany: true);
            return scanner.HasFrameBehind(0, readsOn: false) && Read(file, Id) is { HasBegun: false };
        }
        catch (FileNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Reads on as if there were no footer, but for where it is: what it says of the frames before it is not proven.</summary>
    public void DistrustFooter()
    {
        UnprovenLastSequence = IsSealed ? LastSequence : UnprovenLastSequence;
        (IsSealed, Index, LastSequence, FirstTime, LastTime) = (false, [], FirstSequence - 1, _openingTime, _openingTime);
    }

    /// <summary>There is no footer: what looked like one does not agree with the frames before it.</summary>
    public void ForgetFooter() => FooterOffset = 0;

    /// <summary>False where the segment is being made, and has no header yet.</summary>
    private static bool TryReadHeader(SluiceHandle file, long id, out SegmentHeader header, out uint chain)
    {
        byte[] bytes = new byte[LogLayout.HeaderBytes];
        byte[]? before = null;
        while (true)
        {
            int read = file.Read(bytes, 0);
            string? reason = SegmentHeader.Read(bytes.AsSpan(0, read), out header, out chain);
            if (reason is null && header.Id != id)
            {
                reason = $"its header says segment {header.Id}: it was renamed, or is another one's copy";
            }

            if (reason is null)
            {
                return true;
            }

            if (header == default && FrameScanner.CountTailBytes(file, read) == 0)
            {
                return false;
            }

            // Its writer may have written the header, and more, since the header was looked for.
            if (before is not null && bytes.AsSpan(0, read).SequenceEqual(before))
            {
                throw new SluiceLogDamagedException(file.Path, 0, 0, reason);
            }

            before = bytes[..read];
        }
    }

    /// <summary>
    /// Goes over the frames of a segment from its first record on, as far as they are good, and notes its last record; a footer ends it.
    /// </summary>
    /// <param name="file">The segment.</param>
    /// <param name="durable">The last sequence that is known to be on the disk.</param>
    /// <param name="beforeRest">Called once, before what is behind that is read, with its offset.</param>
    /// <returns>Standing at the first frame that is not good, or is not of records; what was found there.</returns>
    public (FrameScanner Scanner, FrameResult End, List<IndexEntry> Index) Scan(
        SluiceHandle file, long durable = 0, Action<long>? beforeRest = null)
    {
        FrameScanner scanner = HasBegun
            ? new(file, Header.MaxFrameBytes, FirstOffset, FirstChain, readsMany: true)
            : new(file, Header.MaxFrameBytes, LogLayout.HeaderBytes, HeaderChain, readsMany: true);
        List<IndexEntry> index = [];
        long nextIndexAt = 0;
        (IsSealed, LastSequence) = (false, FirstSequence - 1);
        while (true)
        {
            (long offset, uint chain) = (scanner.Offset, scanner.Chain);
            if (beforeRest is not null && LastSequence >= durable)
            {
                beforeRest(offset);
                scanner.Forget();
                beforeRest = null;
            }

            FrameResult result = scanner.TryNext(out FrameHeader frame, out ReadOnlySpan<byte> payload);
            if (result != FrameResult.Good)
            {
                return (scanner, result, index);
            }

            if (frame.Kind == FrameKind.Footer)
            {
                IsSealed = true;
                return (scanner, FrameResult.Good, index);
            }

            if (frame.Kind != FrameKind.Records || frame.FirstSequence != LastSequence + 1)
            {
                throw new SluiceLogDamagedException(file.Path, offset, LastSequence + 1, "a frame is good, and does not belong here");
            }

            if (offset >= nextIndexAt)
            {
                index.Add(new IndexEntry(frame.FirstSequence, frame.Time, offset, chain));
                nextIndexAt = offset + LogLayout.IndexEveryBytes;
            }

            (FirstTime, LastTime) = LastSequence < FirstSequence
                ? (frame.Time, frame.Time) : (Math.Min(FirstTime, frame.Time), Math.Max(LastTime, frame.Time));
            LastSequence = frame.LastSequence;
        }
    }

    /// <summary>
    /// Scans a segment of a writer that is no more. What a sync of that one failed for may stand in the page cache, clean, and not on the
    /// disk: it is not to be taken for durable. What a sync has succeeded for is on the disk.
    /// </summary>
    /// <param name="file">The segment.</param>
    /// <param name="settings">The options.</param>
    /// <param name="state">What is known of the log from that writer.</param>
    /// <exception cref="IOException">It cannot be written to the disk, or not be read.</exception>
    public (FrameScanner Scanner, FrameResult End, List<IndexEntry> Index) ScanFromDisk(
        SluiceHandle file, LogSettings settings, LogState? state)
    {
        LogFile.FlushData(file, settings);
        return Scan(file, DurableBy(state), offset => LogFile.DropFromCache(file, offset));
    }

    /// <summary>The last sequence of the segment's log that its state knows to be on the disk; 0 where it knows of none.</summary>
    public long DurableBy(LogState? state) => state is { } known && known.LogId == Header.LogId ? known.DurableSequence : 0;

    /// <summary>Returns true if the file has the footer that was found, so that nothing before it has changed.</summary>
    public bool HasSameEnd(SluiceHandle file) =>
        TryReadTrailer(file, out long offset, out uint chain, out _) && (offset, chain) == (FooterOffset, _footerChain);

    /// <summary>The segment is written again, from a place before its footer on, and nothing that followed it is there.</summary>
    public void ForgetEnd()
    {
        DistrustFooter();
        (FooterOffset, UnprovenLastSequence) = (0, long.MaxValue);
    }

    private bool TryReadTrailer(SluiceHandle file, out long offset, out uint chain, out long end)
    {
        Span<byte> trailer = stackalloc byte[LogLayout.TrailerBytes];
        (offset, chain, end) = (0, 0, file.Length);
        return LogLayout.MayEndWithFooter(end)
            && end >= FirstOffset + LogLayout.TrailerBytes
            && file.Read(trailer, end - LogLayout.TrailerBytes) == LogLayout.TrailerBytes
            && LogLayout.TryReadTrailer(trailer, HeaderChain, out offset, out chain)
            && offset >= FirstOffset
            && offset <= end - LogLayout.TrailerBytes;
    }

    private void TryReadFooter(SluiceHandle file)
    {
        if (!TryReadTrailer(file, out long offset, out uint chain, out long end))
        {
            return;
        }

        (FooterOffset, _footerChain) = (offset, chain);
        FrameScanner scanner = new(file, Header.MaxFrameBytes, offset, chain);
        if (scanner.TryNext(out FrameHeader footer, out ReadOnlySpan<byte> payload) == FrameResult.Good
            && footer.Kind == FrameKind.Footer
            && scanner.Offset == end
            && LogLayout.TryReadFooter(payload, out SegmentTotals totals, out IndexEntry[] index)
            && totals.Records == totals.LastSequence - FirstSequence + 1)
        {
            (IsSealed, LastSequence, FirstTime, LastTime) = (true, totals.LastSequence, totals.FirstTime, totals.LastTime);
            Index = MayBe(index) ? index : [];
        }
    }

    /// <summary>Whether entries can be those of this segment: without them it is read from its first frame on.</summary>
    private bool MayBe(IndexEntry[] index)
    {
        IndexEntry before = new(FirstSequence - 1, 0, FirstOffset - 1, 0);
        foreach (IndexEntry entry in index)
        {
            if (entry.Offset <= before.Offset || entry.Sequence <= before.Sequence)
            {
                return false;
            }

            before = entry;
        }

        return before.Offset < FooterOffset && before.Sequence <= LastSequence;
    }
}
