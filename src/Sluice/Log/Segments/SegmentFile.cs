using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>
/// A framed segment that is being written. One thread at a time writes; another one may sync meanwhile. What a failed write left in the
/// file is cut off before the next frame is written, here or in the next segment.
/// </summary>
internal sealed class SegmentFile : IDisposable
{
    /// <summary>The time, in milliseconds, after which the writer checks again whether the file was deleted.</summary>
    private const int CheckAgainMs = 1000;

    private readonly LogFolder _folder;
    private readonly SluiceHandle _handle;
    private readonly SluiceLogOptions _settings;

    /// <summary>
    /// The entries for the footer. The list is its own lock until the segment is full, because readers of this process use it too.
    /// </summary>
    private readonly List<IndexEntry> _index = [];
    private readonly ZerosAhead _zeros;
    private readonly uint _headerChain;
    private readonly byte[] _name;
    private byte[] _opening = [];
    private long _nextIndexAt;
    private long _durableOffset;
    private long _zerosOnDisk;
    private bool _isDeleted;
    private bool _hasDurableHeader;

    /// <summary>True if the space of a segment that was resumed is reserved by the first append.</summary>
    private bool _reservesLater;

    /// <summary>The monotonic time at which the first record was written, or at which the segment was resumed.</summary>
    private long _sinceMs = Environment.TickCount64;

    private long _checkedMs = Environment.TickCount64;

    /// <summary>The end of the bytes that failed writes may have left after the last frame.</summary>
    private long _failedTo;

    /// <summary>
    /// The number of times that the file may have been truncated, counted before each truncation. In a truncated file the end of the zeros
    /// on the disk is unknown: a sync that began before may end afterwards.
    /// </summary>
    private int _cuts;

    /// <summary>
    /// The number of truncations that are on the disk. A segment is durable only with its last one: otherwise a power cut could bring back
    /// what was cut off.
    /// </summary>
    private int _cutsOnDisk;

    private SegmentFile(LogFolder folder, SluiceHandle handle, SluiceLogOptions settings, SegmentHeader header, uint headerChain)
    {
        (_folder, _handle, _settings, Header, _headerChain, Chain) = (folder, handle, settings, header, headerChain, headerChain);
        Offset = LogLayout.HeaderBytes;
        _name = PathCalls.ToKernel(System.IO.Path.GetFileName(handle.Path));
        _zeros = new ZerosAhead(handle);
    }

    public SegmentHeader Header { get; }

    public string Path => _handle.Path;

    /// <summary>The offset of the next frame.</summary>
    public long Offset { get; private set; }

    /// <summary>The checksum that the next frame continues.</summary>
    public uint Chain { get; private set; }

    /// <summary>The sequence number of the first record that it has or will have.</summary>
    public long FirstSequence { get; private set; }

    /// <summary>The sequence number of its last record; one less than the first if it has none.</summary>
    public long LastSequence { get; private set; }

    public long FirstTime { get; private set; }

    public long LastTime { get; private set; }

    /// <summary>True if the file has been removed or moved away.</summary>
    public bool IsDeleted => _isDeleted || _folder.HasLost(_handle, _name);

    /// <summary>True if all of its records are on the disk, for a segment that is not written any more. Thread-safe.</summary>
    public bool IsDurable => Volatile.Read(ref _durableOffset) == Offset && Volatile.Read(ref _cutsOnDisk) == Volatile.Read(ref _cuts);

    /// <summary>True if the segment was synced after it had begun. Thread-safe.</summary>
    public bool HasDurableOpening => Volatile.Read(ref _durableOffset) > 0;

    public bool IsEmpty => LastSequence < FirstSequence;

    /// <summary>Creates the file, which has no header before <see cref="WriteHeader"/>.</summary>
    /// <param name="folder">The log's folder.</param>
    /// <param name="id">An id that no segment has had.</param>
    /// <param name="settings">The options.</param>
    /// <param name="logId">The log's id.</param>
    public static SegmentFile Create(LogFolder folder, long id, SluiceLogOptions settings, Guid logId)
    {
        long salt = 0;
        NodeCalls.FillRandom(MemoryMarshal.AsBytes(new Span<long>(ref salt)));
        SegmentHeader header = new(id, settings.PageBytes, salt, logId, LogLayout.ToNanoseconds(DateTime.UtcNow));
        SluiceHandle handle = folder.Open(folder.PathOf(id), FileMode.CreateNew, FileAccess.ReadWrite, settings);
        return new SegmentFile(folder, handle, settings, header, header.Write(new byte[LogLayout.HeaderBytes]));
    }

    /// <summary>Locks a new file and writes its header.</summary>
    public void WriteHeader()
    {
        WriterLock.TakeSegment(_folder.Path, _handle);
        byte[] bytes = new byte[LogLayout.HeaderBytes];
        _ = Header.Write(bytes);
        LogFile.Write(_handle, bytes, 0);
    }

    /// <summary>
    /// Reserves the space of a new segment, and makes its header and its name durable. Does nothing if that has been done. Called before the
    /// segment begins.
    /// </summary>
    public void FlushHeader()
    {
        if (!_hasDurableHeader)
        {
            Reserve();
            LogFile.Flush(_handle, _settings);
            _folder.FlushToDisk();
            _hasDurableHeader = true;
        }
    }

    /// <summary>Continues a segment whose frames were checked, and which was synced.</summary>
    public static SegmentFile Resume(LogFolder folder, SluiceHandle handle, SluiceLogOptions settings, SegmentScan scan)
    {
        SegmentFile file = new(folder, handle, settings, scan.Segment.Header, scan.Segment.HeaderChain)
        {
            Chain = scan.Chain,
            Offset = scan.Offset,
            FirstSequence = scan.Segment.FirstSequence,
            LastSequence = scan.LastSequence,
            FirstTime = scan.FirstTime,
            LastTime = scan.LastTime,
            _durableOffset = scan.Offset,
            _reservesLater = true,
        };
        file._index.AddRange(scan.Index);
        file._nextIndexAt = (file._index.Count > 0 ? file._index[^1].Offset : 0) + LogLayout.IndexEveryBytes;
        return file;
    }

    /// <summary>
    /// Writes the opening frame. A call that failed may have left it in the file, so that the next call for the same record writes the same
    /// bytes.
    /// </summary>
    /// <param name="firstSequence">The sequence number of the first record to come.</param>
    /// <param name="time">The present time.</param>
    public void Begin(long firstSequence, long time)
    {
        if (_opening.Length == 0 || FirstSequence != firstSequence)
        {
            byte[] frame = new byte[LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes];
            LogLayout.WriteFrameHeader(
                frame, new FrameHeader(LogLayout.OpeningPayloadBytes, 0, firstSequence, time, FrameKind.Opening, 0));
            Chain = LogLayout.Sign(frame, _headerChain);
            _opening = frame;
            (FirstSequence, LastSequence, FirstTime, LastTime) = (firstSequence, firstSequence - 1, time, time);
        }

        WriteAt(_opening, LogLayout.HeaderBytes);
        Offset = LogLayout.HeaderBytes + _opening.Length;
    }

    /// <summary>
    /// Returns true if a frame belongs into another segment. A segment that was created with a smaller maximum accepts no larger frame,
    /// because readers would reject it.
    /// </summary>
    public bool IsFullFor(int frameBytes, long time) =>
        frameBytes > Header.MaxFrameBytes
        || (!IsEmpty && (Offset + frameBytes > _settings.SegmentBytes
            || (_settings.SegmentAge is { } age
                && (time - FirstTime >= age.TotalNanoseconds || Environment.TickCount64 - _sinceMs >= age.TotalMilliseconds))));

    /// <summary>Describes the segment when it is not written any more.</summary>
    public ClosedSegment Closed() =>
        new(Path, FirstSequence, LastSequence, LastTime, Offset)
        {
            Id = Header.Id,
            WrittenAt = LogLayout.ToNanoseconds(DateTime.UtcNow),
        };

    /// <summary>Returns the last entry of the index that is not after a record; null if there is none. Thread-safe.</summary>
    public IndexEntry? EntryNear(long sequence)
    {
        lock (_index)
        {
            int index = _index.FindLastIndex(e => e.Sequence <= sequence);
            return index < 0 ? null : _index[index];
        }
    }

    /// <summary>
    /// Begins a sync: returns how far the segment is written, and writes the next zeros, which the sync covers too. Called by the thread
    /// that may write frames. A file that was truncated gets no zeros, because every sync of it needs the journal.
    /// </summary>
    public SyncPoint BeginSync(bool writesZeros)
    {
        if (writesZeros && _cuts == 0)
        {
            _zeros.Write(Offset);
        }

        return new SyncPoint(this, Offset, LastSequence, _zeros.End, _cuts);
    }

    /// <summary>Writes a frame of records. There is space for its header before the records, and for zeros after them.</summary>
    /// <param name="bytes">Header, records and space for up to seven zeros.</param>
    /// <param name="end">The end of the records.</param>
    /// <param name="count">The number of records.</param>
    /// <param name="first">The sequence number of the first record.</param>
    /// <param name="time">The time of the last record.</param>
    /// <exception cref="IOException">The frame could not be written, or the file was deleted.</exception>
    public void Append(Span<byte> bytes, int end, int count, long first, long time)
    {
        ThrowIfDeletedByNow();
        if (_reservesLater)
        {
            Reserve();
            _reservesLater = false;
        }

        FrameHeader header = new(end - LogLayout.FrameHeaderBytes, count, first, time, FrameKind.Records, 0);
        bytes[end..header.FrameBytes].Clear();
        LogLayout.WriteFrameHeader(bytes, header);
        (long offset, uint chain) = (Offset, Chain);
        Span<byte> frame = bytes[..header.FrameBytes];
        uint crc = LogLayout.Sign(frame, Chain);
        WriteAt(frame, Offset);
        (Offset, Chain) = (Offset + frame.Length, crc);
        if (offset >= _nextIndexAt)
        {
            lock (_index)
            {
                _index.Add(new IndexEntry(first, time, offset, chain));
            }

            _nextIndexAt = offset + LogLayout.IndexEveryBytes;
        }

        (FirstTime, LastTime, _sinceMs) = IsEmpty
            ? (time, time, Environment.TickCount64) : (Math.Min(FirstTime, time), Math.Max(LastTime, time), _sinceMs);
        LastSequence = first + count - 1;
    }

    /// <summary>Makes durable what was written when a sync began. Does nothing if it is durable already.</summary>
    /// <exception cref="IOException">The device failed, or the file was deleted.</exception>
    public void FlushToDisk(in SyncPoint point)
    {
        if (_durableOffset == point.Offset && _cutsOnDisk == point.Cuts)
        {
            return;
        }

        // Frames that replace zeros on the disk do not change the metadata of the file.
        bool needsJournal = Math.Max(point.Offset, point.ZerosTo) > _zerosOnDisk;
        LogFile.FlushData(_handle, _settings, needsJournal || Volatile.Read(ref _cuts) > 0);
        ThrowIfDeleted();
        _zerosOnDisk = Math.Max(_zerosOnDisk, point.ZerosTo);
        Volatile.Write(ref _cutsOnDisk, point.Cuts);
        Volatile.Write(ref _durableOffset, point.Offset);
    }

    /// <summary>Writes the footer, releases reserved space and makes both durable.</summary>
    public void Seal()
    {
        byte[] footer = LogLayout.MakeFooter(
            new SegmentTotals(LastSequence - FirstSequence + 1, LastSequence, FirstTime, LastTime), _index, Offset, Chain, _headerChain);
        LogFile.Write(_handle, footer, Offset);
        LogFile.SetLength(_handle, Offset + footer.Length);
        LogFile.Flush(_handle, _settings);
        ThrowIfDeleted();
    }

    /// <summary>
    /// Reserves the space of the segment if the options specify that. Errors are ignored: space that is not available now may be available
    /// when it is needed.
    /// </summary>
    private void Reserve()
    {
        try
        {
            if (_settings.Preallocate && _handle.Length < _settings.SegmentBytes)
            {
                _handle.Allocate(0, _settings.SegmentBytes);
            }
        }
        catch (Exception e) when (e is IOException or PlatformNotSupportedException)
        {
        }
    }

    /// <summary>Releases reserved space.</summary>
    public void CutReserved() => LogFile.SetLength(_handle, Offset);

    /// <summary>Releases reserved space and ignores errors, because nothing depends on the space.</summary>
    public void TryCutReserved() => LogFile.TrySetLength(_handle, Offset);

    /// <summary>
    /// Cuts off what a failed write left after the last frame. Called before the log continues in another segment, because these bytes
    /// would not be overwritten later, and readers could take them for a frame.
    /// </summary>
    /// <exception cref="IOException">The bytes may still be there; the next call tries again.</exception>
    public void CutFailed() => CutFailed(Offset);

    /// <summary>Closes the file.</summary>
    /// <exception cref="IOException">close(2) reported an error.</exception>
    public void Dispose() => LogFile.Close(_handle);

    /// <summary>Closes the file and ignores an error of close(2).</summary>
    public void TryDispose() => LogFile.TryClose(_handle);

    /// <summary>
    /// Removes a segment that has not begun, unless another file has its name, and closes it. If the file cannot be deleted, it is emptied:
    /// before a segment that has begun, a file that has not begun is damage unless it is empty.
    /// </summary>
    /// <exception cref="IOException">The file can be neither removed nor emptied.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to remove the file, and the file could not be emptied.
    /// </exception>
    public void Remove()
    {
        try
        {
            if (!IsDeleted)
            {
                _ = _folder.DeleteOrEmpty(Path, _settings);
            }
        }
        finally
        {
            TryDispose();
        }
    }

    private void WriteAt(ReadOnlySpan<byte> frame, long offset)
    {
        CutFailed(offset);
        try
        {
            LogFile.Write(_handle, frame, offset);
        }
        catch
        {
            _failedTo = Math.Max(_failedTo, offset + frame.Length);
            try
            {
                CutFailed(offset);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or ObjectDisposedException)
            {
                // The next write tries again.
            }

            throw;
        }
    }

    /// <summary>
    /// Cuts off what a failed write may have left, so that no reader takes it for a frame and it does not complete a frame of which a part is
    /// written later. It is not overwritten with zeros: a full copy-on-write file system has no space for those.
    /// </summary>
    private void CutFailed(long offset)
    {
        if (_failedTo > offset)
        {
            bool wasReserved = _handle.Length >= _settings.SegmentBytes;
            Volatile.Write(ref _cuts, _cuts + 1);
            LogFile.SetLength(_handle, offset);
            _failedTo = 0;
            if (wasReserved)
            {
                Reserve();
            }
        }
    }

    /// <summary>
    /// Throws if the file was deleted or moved, because its records would be lost. Until that is known, checks at most once per second.
    /// </summary>
    private void ThrowIfDeletedByNow()
    {
        long nowMs = Environment.TickCount64;
        if (nowMs - _checkedMs >= CheckAgainMs)
        {
            ThrowIfDeleted();
            _checkedMs = nowMs;
        }
    }

    /// <summary>
    /// Throws if the file has no name in the log's folder any more. Such a file is not part of the log, whatever other names it has.
    /// </summary>
    private void ThrowIfDeleted()
    {
        if (IsDeleted)
        {
            _isDeleted = true;
            _checkedMs = long.MinValue / 2;
            throw new IOException($"Writing to '{Path}' failed: the file was deleted.");
        }
    }
}
