using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>The header, the opening and the footer of one segment. Immutable.</summary>
internal sealed record SegmentInfo
{
    public required string Path { get; init; }

    public required long Id { get; init; }

    public required SegmentHeader Header { get; init; }

    /// <summary>The checksum that the first frame continues.</summary>
    public required uint HeaderChain { get; init; }

    /// <summary>True if the segment has a valid opening.</summary>
    public bool HasBegun { get; init; }

    /// <summary>The reason why the bytes after the header of a segment that has not begun are not a frame; otherwise, null.</summary>
    public string? TornOpening { get; init; }

    public long FirstSequence { get; init; }

    /// <summary>The offset of the first frame of records, or of the opening if the opening is not valid.</summary>
    public long FirstOffset { get; init; } = LogLayout.HeaderBytes;

    /// <summary>The checksum that the frame at <see cref="FirstOffset"/> continues.</summary>
    public uint FirstChain { get; init; }

    public long OpeningTime { get; init; }

    /// <summary>The offset of the footer according to the trailer; 0 if the file does not end with a trailer.</summary>
    public long FooterOffset { get; init; }

    /// <summary>The content of the footer; null if there is no valid one.</summary>
    public SegmentFooter? Footer { get; init; }

    /// <summary>
    /// False if the next segment does not begin with the record after the footer's last one. The content of a record can imitate a footer
    /// at the end of a file that was truncated within a frame.
    /// </summary>
    public bool TrustsFooter { get; init; } = true;

    public bool IsSealed => TrustsFooter && Footer is not null;

    /// <summary>The last sequence number according to a trusted footer; else one less than the first.</summary>
    public long LastSequence => IsSealed ? Footer!.LastSequence : FirstSequence - 1;

    /// <summary>The index of a trusted footer.</summary>
    public IndexEntry[] Index => IsSealed ? Footer!.Index : [];

    /// <summary>Reads header, opening and footer.</summary>
    /// <param name="file">The file.</param>
    /// <param name="id">The number in the file's name.</param>
    /// <returns>Null if the file has no valid header and only zeros follow: it was being created.</returns>
    /// <exception cref="NotSupportedException">An earlier version has restarted the log.</exception>
    /// <exception cref="SluiceLogDamagedException">The header is damaged.</exception>
    public static SegmentInfo? Read(SluiceHandle file, long id)
    {
        if (!TryReadHeader(file, id, out SegmentHeader header, out uint chain))
        {
            return null;
        }

        FrameScanner scanner = new(file, header.MaxFrameBytes, LogLayout.HeaderBytes, chain);
        FrameResult result = scanner.TryNext(out FrameHeader opening, out ReadOnlySpan<byte> payload);
        bool hasBegun = result == FrameResult.Good && opening.Kind == FrameKind.Opening;
        SegmentInfo info = new()
        {
            Path = file.Path,
            Id = id,
            Header = header,
            HeaderChain = chain,
            FirstChain = chain,
            TornOpening = result == FrameResult.Bad ? scanner.Reason : null,
        };
        if (!hasBegun)
        {
            return info;
        }

        if (payload[..Math.Min(payload.Length, 2)].ContainsAnyExcept((byte)0))
        {
            throw new NotSupportedException(
                $"'{file.Path}' belongs to a log in which an earlier version replaced records by later ones (a restart of the log), "
                + "which this version does not read.");
        }

        info = info with
        {
            HasBegun = true,
            FirstSequence = opening.FirstSequence,
            OpeningTime = opening.Time,
            FirstOffset = scanner.Offset,
            FirstChain = scanner.Chain,
        };
        return info.TryReadTrailer(file, out long offset, out uint footerChain)
            ? info with { FooterOffset = offset, Footer = info.ReadFooter(file, offset, footerChain) }
            : info;
    }

    /// <summary>Returns true if a file that has not begun contains complete frames.</summary>
    public bool HasFramesWithoutOpening()
    {
        try
        {
            using SluiceHandle file = LogFile.OpenToRead(Path);
            return ScannerAt(file, FirstOffset, FirstChain).HasFrameAfter(0, readsOn: false) && Read(file, Id) is { HasBegun: false };
        }
        catch (FileNotFoundException)
        {
            return false;
        }
    }

    /// <summary>Reads the frames of records up to the first bytes that are not a valid frame of records.</summary>
    /// <param name="file">The segment.</param>
    /// <param name="durable">The last sequence number that is known to be on the disk.</param>
    /// <param name="beforeRest">Called once, with the offset after the frame of that record, before the bytes after it are read.</param>
    /// <exception cref="SluiceLogDamagedException">A valid frame does not belong there.</exception>
    public SegmentScan Scan(SluiceHandle file, long durable = 0, Action<long>? beforeRest = null)
    {
        FrameScanner scanner = ScannerAt(file, FirstOffset, FirstChain);
        List<IndexEntry> index = [];
        long nextIndexAt = 0;
        SegmentScan scan = new(this, FirstOffset, FirstChain, FirstSequence - 1, OpeningTime, OpeningTime, index);
        while (true)
        {
            if (beforeRest is not null && scan.LastSequence >= durable)
            {
                beforeRest(scan.Offset);
                scanner.DiscardBuffer();
                beforeRest = null;
            }

            FrameResult result = scanner.TryNext(out FrameHeader frame, out _);
            if (result != FrameResult.Good)
            {
                return scan with { Reason = result == FrameResult.Bad ? scanner.Reason : null };
            }

            if (frame.Kind == FrameKind.Footer)
            {
                return scan with { ReachesFooter = true };
            }

            if (frame.Kind != FrameKind.Records || frame.FirstSequence != scan.LastSequence + 1)
            {
                throw new SluiceLogDamagedException(
                    file.Path, scan.Offset, scan.LastSequence + 1, "a valid frame does not belong here");
            }

            if (scan.Offset >= nextIndexAt)
            {
                index.Add(new IndexEntry(frame.FirstSequence, frame.Time, scan.Offset, scan.Chain));
                nextIndexAt = scan.Offset + LogLayout.IndexEveryBytes;
            }

            bool isFirst = scan.LastSequence < FirstSequence;
            scan = scan with
            {
                Offset = scanner.Offset,
                Chain = scanner.Chain,
                LastSequence = frame.LastSequence,
                FirstTime = isFirst ? frame.Time : Math.Min(scan.FirstTime, frame.Time),
                LastTime = isFirst ? frame.Time : Math.Max(scan.LastTime, frame.Time),
            };
        }
    }

    /// <summary>
    /// Scans a segment of an earlier writer. After a failed sync, pages can be clean in the page cache although they are not on the disk.
    /// Therefore everything after the last record that is known to be durable is read from the disk.
    /// </summary>
    /// <exception cref="IOException">The segment cannot be made durable or read.</exception>
    public SegmentScan ScanFromDisk(SluiceHandle file, SluiceLogOptions settings, LogState? state)
    {
        LogFile.FlushData(file, settings);
        return Scan(file, DurableBy(state), offset => LogFile.DropFromCache(file, offset));
    }

    /// <summary>Returns a scanner for many frames.</summary>
    public FrameScanner ScannerAt(SluiceHandle file, long offset, uint chain) =>
        new(file, Header.MaxFrameBytes, offset, chain, bufferBytes: FrameScanner.ManyBytes);

    /// <summary>
    /// Returns the last sequence number that is on the disk according to log.state; 0 if there is none, or if it belongs to another log.
    /// </summary>
    public long DurableBy(LogState? state) => state is { } known && known.LogId == Header.LogId ? known.DurableSequence : 0;

    /// <summary>Returns true if the file still ends with the same footer, so that nothing before it has changed.</summary>
    public bool HasSameFooter(SluiceHandle file) =>
        TryReadTrailer(file, out long offset, out uint chain) && offset == FooterOffset && (Footer is null || chain == Footer.Chain);

    /// <summary>Returns false if the segment is being created and has no header yet.</summary>
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

            // The writer may have written the header, and more, since it was read.
            if (before is not null && bytes.AsSpan(0, read).SequenceEqual(before))
            {
                throw new SluiceLogDamagedException(file.Path, 0, 0, reason);
            }

            before = bytes[..read];
        }
    }

    private bool TryReadTrailer(SluiceHandle file, out long offset, out uint chain)
    {
        Span<byte> trailer = stackalloc byte[LogLayout.TrailerBytes];
        long end = file.Length;
        (offset, chain) = (0, 0);
        return LogLayout.MayEndWithFooter(end)
            && end >= FirstOffset + LogLayout.TrailerBytes
            && file.Read(trailer, end - LogLayout.TrailerBytes) == LogLayout.TrailerBytes
            && LogLayout.TryReadTrailer(trailer, HeaderChain, out offset, out chain)
            && offset >= FirstOffset
            && offset <= end - LogLayout.TrailerBytes;
    }

    private SegmentFooter? ReadFooter(SluiceHandle file, long offset, uint chain)
    {
        FrameScanner scanner = new(file, Header.MaxFrameBytes, offset, chain);
        return scanner.TryNext(out FrameHeader footer, out ReadOnlySpan<byte> payload) == FrameResult.Good
            && footer.Kind == FrameKind.Footer
            && scanner.Offset == file.Length
            && LogLayout.TryReadFooter(payload, out SegmentTotals totals, out IndexEntry[] index)
            && totals.Records == totals.LastSequence - FirstSequence + 1
            ? new SegmentFooter(chain, totals.LastSequence, totals.FirstTime, totals.LastTime, index)
            : null;
    }
}

/// <summary>The content of a valid footer.</summary>
/// <param name="Chain">The checksum that the footer continues.</param>
/// <param name="LastSequence">The sequence number of the last record.</param>
/// <param name="FirstTime">The least time of the frames of records.</param>
/// <param name="LastTime">The greatest time of the frames of records.</param>
/// <param name="Index">The entries of the index. Each is compared with its frame when it is used.</param>
internal sealed record SegmentFooter(uint Chain, long LastSequence, long FirstTime, long LastTime, IndexEntry[] Index);

/// <summary>The result of reading the valid frames of a segment from its first record on.</summary>
/// <param name="Segment">The segment.</param>
/// <param name="Offset">The offset after the last valid frame of records.</param>
/// <param name="Chain">The checksum that a frame at that offset continues.</param>
/// <param name="LastSequence">The sequence number of the last record; one less than the first if there is none.</param>
/// <param name="FirstTime">The least time of the frames of records.</param>
/// <param name="LastTime">The greatest time of the frames of records.</param>
/// <param name="Index">The entries for a footer.</param>
/// <param name="ReachesFooter">True if a footer follows.</param>
/// <param name="Reason">The reason why the following bytes are not a frame; null if a footer or zeros follow.</param>
internal sealed record SegmentScan(
    SegmentInfo Segment, long Offset, uint Chain, long LastSequence, long FirstTime, long LastTime, List<IndexEntry> Index,
    bool ReachesFooter = false, string? Reason = null);
