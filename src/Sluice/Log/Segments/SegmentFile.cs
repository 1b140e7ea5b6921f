using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>
/// A framed segment that is being written. One thread at a time writes; syncing may be another's. What failed to be written is cut off
/// before the next frame is written, here or in the next segment.
/// </summary>
internal sealed partial class SegmentFile : IDisposable
{
    /// <summary>After how long whoever writes looks again whether the file has its name.</summary>
    private const int LookAgainMs = 1000;

    private readonly LogFolder _folder;
    private readonly SluiceHandle _handle;
    private readonly LogSettings _settings;
    private readonly List<IndexEntry> _index = [];
    private readonly ZerosAhead _zeros;
    private readonly uint _headerChain;
    private readonly byte[] _name;
    private byte[] _opening = [];
    private long _nextIndexAt;
    private long _durableOffset;
    private long _zerosOnDisk;
    private bool _isOnDisk;
    private bool _isSealed;

    /// <summary>When its first record had come, or it was resumed, by a clock that nobody sets.</summary>
    private long _sinceMs = Environment.TickCount64;

    private long _lookedMs = Environment.TickCount64;
    private bool _isDeleted;

    private SegmentFile(LogFolder folder, SluiceHandle handle, LogSettings settings, SegmentHeader header, uint headerChain)
    {
        (_folder, _handle, _settings, Header, _headerChain, Chain) = (folder, handle, settings, header, headerChain, headerChain);
        Offset = LogLayout.HeaderBytes;
        _name = PathCalls.ToKernel(System.IO.Path.GetFileName(handle.Path));
        _zeros = new ZerosAhead(handle);
    }

    public SegmentHeader Header { get; }

    public string Path => _handle.Path;

    public SluiceHandle Handle => _handle;

    /// <summary>Where the next frame goes.</summary>
    public long Offset { get; private set; }

    /// <summary>The sum that the next frame goes on from.</summary>
    public uint Chain { get; private set; }

    /// <summary>Sequence of the first record that it has or will have.</summary>
    public long FirstSequence { get; private set; }

    /// <summary>Sequence of its last record, one less than the first where it has none.</summary>
    public long LastSequence { get; private set; }

    public long FirstTime { get; private set; }

    public long LastTime { get; private set; }

    /// <summary>Returns true if somebody has removed the file, or moved it away.</summary>
    public bool IsDeleted => _isDeleted || _folder.HasLost(_handle, _name);

    /// <summary>
    /// Where the first frame is that is not known to be on the disk; in a segment that was never synced the first frame of records,
    /// although nothing before it is on the disk either.
    /// </summary>
    public SegmentMark Durable { get; private set; }

    /// <summary>Whether all that it has is on the disk; of a segment that is not written any more. Any thread may ask.</summary>
    public bool IsDurable => Volatile.Read(ref _durableOffset) == Offset && Volatile.Read(ref _cutsOnDisk) == Volatile.Read(ref _cuts);

    /// <summary>Whether it has its footer, as far as it could be written.</summary>
    public bool IsSealed
    {
        get => Volatile.Read(ref _isSealed);
        set => Volatile.Write(ref _isSealed, value);
    }

    /// <summary>Whether its footer was written, and is on the disk; for who may seal it.</summary>
    public bool HasFooter { get; private set; }

    public bool IsEmpty => LastSequence < FirstSequence;

    /// <summary>Whether it was synced since it has begun. Any thread may ask.</summary>
    public bool IsOnDisk => Volatile.Read(ref _isOnDisk);

    /// <summary>Whether a frame is to go to another segment. Also where this one was made with smaller frames: readers would not believe a
    /// larger one.</summary>
    public bool IsFullFor(int frameBytes, long time) =>
        _isDeleted || frameBytes > Header.MaxFrameBytes
        || (!IsEmpty && (Offset + frameBytes > _settings.SegmentBytes
            || (_settings.SegmentAge is { } age
                && (time - FirstTime >= age.TotalNanoseconds || Environment.TickCount64 - _sinceMs >= age.TotalMilliseconds))));

    /// <summary>What there is of it once it is not written any more.</summary>
    /// <param name="lastSequence">Its last record, or an earlier one behind which the rest was taken back.</param>
    public ClosedSegment Closed(long lastSequence) =>
        new(Path, FirstSequence, lastSequence, LastTime, Offset)
        {
            Id = Header.Id,
            IsSealed = IsSealed,
            WrittenAt = LogLayout.ToNanoseconds(DateTime.UtcNow),
        };

    /// <summary>How far it is written now.</summary>
    public SegmentMark Mark() => new(this, Offset, Chain, LastSequence, _zeros.End, _cuts);

    /// <summary>Notes that a sync which began after a mark was taken has ended well.</summary>
    public void MarkDurable(in SegmentMark mark)
    {
        Durable = mark;
        Volatile.Write(ref _durableOffset, mark.Offset);
    }

    /// <summary>Writes a frame of records, whose bytes stand behind the room for its header and before room for zeros.</summary>
    /// <param name="bytes">Header, records and room for up to seven zeros.</param>
    /// <param name="end">Where the records end.</param>
    /// <param name="count">How many records.</param>
    /// <param name="first">Sequence of the first.</param>
    /// <param name="time">When the last had come.</param>
    /// <exception cref="IOException">It could not be written, or the file was deleted some time ago.</exception>
    public void Append(Span<byte> bytes, int end, int count, long first, long time)
    {
        ThrowIfDeletedByNow();
        FrameHeader header = new(end - LogLayout.FrameHeaderBytes, count, first, time, FrameKind.Records, 0);
        bytes[end..header.FrameBytes].Clear();
        LogLayout.WriteFrameHeader(bytes, header);
        (long offset, uint chain) = (Offset, Chain);
        bool isIndexed = offset >= _nextIndexAt;
        if (isIndexed)
        {
            // Before the frame is there: where there is no memory for its entry, the page is written again, and would be there twice.
            _index.EnsureCapacity(_index.Count + 1);
        }

        WriteFrame(bytes[..header.FrameBytes]);
        if (isIndexed)
        {
            _index.Add(new IndexEntry(first, time, offset, chain));
            _nextIndexAt = offset + LogLayout.IndexEveryBytes;
        }

        (FirstTime, LastTime, _sinceMs) = IsEmpty
            ? (time, time, Environment.TickCount64) : (Math.Min(FirstTime, time), Math.Max(LastTime, time), _sinceMs);
        LastSequence = first + count - 1;
    }

    /// <summary>Writes the frames of another segment that are not known to be on the disk, read back and checked, at the end of this
    /// one.</summary>
    /// <exception cref="SluiceLogDamagedException">They cannot be read back as they were written.</exception>
    public void AppendCopies(SegmentFile from)
    {
        FrameScanner scanner = new(from._handle, from.Header.MaxFrameBytes, from.Durable.Offset, from.Durable.Chain);
        byte[] copy = [];
        while (scanner.Offset < from.Offset)
        {
            (long offset, FrameResult result) = (scanner.Offset, scanner.TryNext(out FrameHeader frame, out ReadOnlySpan<byte> payload));
            if (result != FrameResult.Good || frame.Kind != FrameKind.Records)
            {
                throw new SluiceLogDamagedException(from.Path, offset, LastSequence + 1, "what was written there cannot be read back");
            }

            if (copy.Length < frame.FrameBytes + 8)
            {
                copy = new byte[frame.FrameBytes + 8];
            }

            payload.CopyTo(copy.AsSpan(LogLayout.FrameHeaderBytes));
            Append(copy, LogLayout.FrameHeaderBytes + frame.Length, frame.Count, frame.FirstSequence, frame.Time);
        }
    }

    /// <summary>
    /// Before a sync, by whoever may write frames: how far it is written now, with the next zeros, which the sync is for as well. There are
    /// none where the file was cut: nobody knows any more where they end, and every sync needs the journal.
    /// </summary>
    public SegmentMark MarkWithZerosAhead()
    {
        if (_cuts == 0)
        {
            _zeros.Write(Offset);
        }

        return Mark();
    }

    /// <summary>Whether there is something before a mark that may not be on the disk; for who syncs.</summary>
    public bool NeedsSync(in SegmentMark mark) => Durable.Offset != mark.Offset || !IsOnDisk || _cutsOnDisk != mark.Cuts;

    /// <summary>Makes what was written before a mark durable.</summary>
    /// <exception cref="IOException">The device failed, or the file was deleted.</exception>
    public void FlushToDisk(in SegmentMark mark)
    {
        ThrowIfDeleted();

        // Frames over zeros that are on the disk change nothing of the file but its bytes.
        bool needsJournal = Math.Max(mark.Offset, mark.ZerosTo) > _zerosOnDisk;
        LogFile.FlushData(_handle, _settings, needsJournal || Volatile.Read(ref _cuts) > 0);
        _zerosOnDisk = Math.Max(_zerosOnDisk, mark.ZerosTo);
        Volatile.Write(ref _cutsOnDisk, mark.Cuts);
        Volatile.Write(ref _isOnDisk, true);
    }

    /// <summary>Writes the footer, gives reserved space back and makes both durable.</summary>
    public void Seal()
    {
        byte[] footer = LogLayout.MakeFooter(
            new SegmentTotals(LastSequence - FirstSequence + 1, LastSequence, FirstTime, LastTime), _index, Offset, Chain, _headerChain);
        LogFile.Write(_handle, footer, Offset);
        LogFile.SetLength(_handle, Offset + footer.Length);
        ThrowIfDeleted();
        LogFile.Flush(_handle, _settings);
        HasFooter = true;
    }

    /// <summary>Reserves the space of the segment; what cannot be had now may be there when it is needed.</summary>
    public void Reserve() => Reserve(_handle, _settings);

    /// <summary>Gives reserved space back.</summary>
    public void CutReserved() => LogFile.SetLength(_handle, Offset);

    /// <summary>
    /// As <see cref="CutReserved"/>, where the segment is left for good: nobody is told if that fails. One with a footer has nothing
    /// reserved.
    /// </summary>
    public void TryCutReserved()
    {
        if (!HasFooter)
        {
            LogFile.TrySetLength(_handle, Offset);
        }
    }

    public void Dispose() => LogFile.Close(_handle);

    /// <summary>Removes the file, as far as that can be done, and closes it; where its name is another file's by now, that one
    /// stays.</summary>
    /// <returns>Whether it is gone.</returns>
    public bool Remove() => Remove(_folder, _handle);

    /// <summary>
    /// Removes the file, which stays open. It is emptied first, as far as that can be done: who has it open sees that it is nothing any
    /// more, and where it cannot be removed it takes nothing back.
    /// </summary>
    /// <exception cref="IOException">It is still there.</exception>
    /// <exception cref="UnauthorizedAccessException">It is still there.</exception>
    public void Delete()
    {
        LogFile.TrySetLength(_handle, 0);
        if (_folder.Has(_handle))
        {
            _folder.Delete(Path);
        }
    }

    /// <summary>After <see cref="Delete"/> and a flush of the folder, which may have been overtaken by the file system's end.</summary>
    /// <exception cref="IOException">Then what was removed may be there again.</exception>
    public void FlushRemoved() => LogFile.FlushData(_handle, _settings);

    /// <summary>Of one that cannot be removed: whether it is nothing any more, and is so after a power cut.</summary>
    public bool TryEmptyOnDisk()
    {
        try
        {
            LogFile.SetLength(_handle, 0);
            LogFile.FlushData(_handle, _settings);
            return true;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            return false;
        }
    }

    private static bool Remove(LogFolder folder, SluiceHandle handle)
    {
        try
        {
            return !folder.Has(handle) || folder.TryDelete(handle.Path);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or OutOfMemoryException)
        {
            // Nobody knows whose file it is that has the name.
            return false;
        }
        finally
        {
            LogFile.Close(handle);
        }
    }

    private void WriteFrame(Span<byte> frame)
    {
        uint crc = LogLayout.Sign(frame, Chain);
        WriteAt(frame, Offset);
        Offset += frame.Length;
        Chain = crc;
    }

    /// <summary>
    /// What is written to a file without a name does not survive the process: looked at now and then. Who is told so may write to the next
    /// segment.
    /// </summary>
    private void ThrowIfDeletedByNow()
    {
        long nowMs = Environment.TickCount64;
        if (nowMs - _lookedMs >= LookAgainMs)
        {
            ThrowIfDeleted();
            _lookedMs = nowMs;
        }
    }

    /// <summary>A file whose name in the log's folder is gone is not part of the log, whatever other names it has.</summary>
    private void ThrowIfDeleted()
    {
        if (IsDeleted)
        {
            _isDeleted = true;
            throw new IOException($"Writing to '{Path}' failed: the file was deleted.");
        }
    }

    private static void Reserve(SluiceHandle handle, LogSettings options)
    {
        try
        {
            if (options.Preallocate && handle.Length < options.SegmentBytes)
            {
                handle.Allocate(0, options.SegmentBytes);
            }
        }
        catch (Exception e) when (e is IOException or PlatformNotSupportedException)
        {
        }
    }
}
