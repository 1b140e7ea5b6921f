using System.Buffers.Binary;
using System.Runtime.InteropServices;
using Sluice.Kernel;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>How a segment begins: made, gone on with, and opened.</summary>
internal sealed partial class SegmentFile
{
    /// <summary>Makes the file, reserves its space and makes header and name durable; no frame is in it yet.</summary>
    /// <param name="folder">Where.</param>
    /// <param name="id">A number that no segment has.</param>
    /// <param name="options">Sizes and the engine.</param>
    /// <param name="logId">The log's id.</param>
    public static SegmentFile Create(LogFolder folder, long id, LogSettings options, Guid logId)
    {
        folder.Confirm();
        string path = folder.PathOf(id);
        SluiceHandle handle = folder.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, options);
        try
        {
            WriterLock.TakeSegment(folder.Path, handle);

            // A writer that opened the log before this lock has locked log.state by now; one that opens it later finds the segment locked.
            folder.Confirm();
            long salt = 0;
            NodeCalls.FillRandom(MemoryMarshal.AsBytes(new Span<long>(ref salt)));
            SegmentHeader header = new(id, options.PageBytes, salt, logId, LogLayout.ToNanoseconds(DateTime.UtcNow));
            byte[] bytes = new byte[LogLayout.HeaderBytes];
            uint chain = header.Write(bytes);
            Reserve(handle, options);

            LogFile.Write(handle, bytes, 0);
            LogFile.Flush(handle, options);
            folder.FlushToDisk();
            return new SegmentFile(folder, handle, options, header, chain);
        }
        catch
        {
            _ = Remove(folder, handle);
            throw;
        }
    }

    /// <summary>Goes on with a segment whose frames were checked, and which was synced.</summary>
    public static SegmentFile Resume(
        LogFolder folder, SluiceHandle handle, LogSettings settings, SegmentInfo info, SegmentEnd end)
    {
        SegmentFile file = new(folder, handle, settings, info.Header, info.HeaderChain)
        {
            Chain = end.Chain,
            Offset = end.Offset,
            FirstSequence = info.FirstSequence,
            LastSequence = info.LastSequence,
            FirstTime = info.FirstTime,
            LastTime = info.LastTime,
            _isOnDisk = true,
        };
        file._index.AddRange(end.Index);
        file.MarkDurable(file.Mark());
        file._nextIndexAt = (file._index.Count > 0 ? file._index[^1].Offset : 0) + LogLayout.IndexEveryBytes;
        return file;
    }

    /// <summary>Writes the opening frame.</summary>
    /// <inheritdoc cref="Announce"/>
    public void Begin(long firstSequence, long idBefore, bool restarts, bool tookBack, long time)
    {
        Announce(firstSequence, idBefore, restarts, tookBack, time);
        Open();
    }

    /// <summary>
    /// Leaves room for the opening frame, behind which frames may be written: until <see cref="Open"/> the segment has not begun, and takes
    /// nothing back.
    /// </summary>
    /// <param name="firstSequence">Of the first record to come.</param>
    /// <param name="idBefore">The segment that the records before that one are in; 0 where there is none.</param>
    /// <param name="restarts">Whether what earlier segments have from that record on is taken back.</param>
    /// <param name="tookBack">Whether an earlier segment has taken records back.</param>
    /// <param name="time">Now.</param>
    public void Announce(long firstSequence, long idBefore, bool restarts, bool tookBack, long time)
    {
        byte[] frame = new byte[LogLayout.FrameHeaderBytes + LogLayout.OpeningPayloadBytes];
        LogLayout.WriteFrameHeader(frame, new FrameHeader(LogLayout.OpeningPayloadBytes, 0, firstSequence, time, FrameKind.Opening, 0));
        frame[LogLayout.FrameHeaderBytes] = restarts ? (byte)1 : (byte)0;
        frame[LogLayout.FrameHeaderBytes + 1] = restarts || tookBack ? (byte)1 : (byte)0;
        long back = idBefore > 0 ? Header.Id - idBefore : 0;
        BinaryPrimitives.WriteUInt32LittleEndian(frame.AsSpan(LogLayout.FrameHeaderBytes + 4), back <= uint.MaxValue ? (uint)back : 0);
        Chain = LogLayout.Sign(frame, _headerChain);
        Offset = LogLayout.HeaderBytes + frame.Length;
        _opening = frame;
        (FirstSequence, LastSequence, FirstTime, LastTime) = (firstSequence, firstSequence - 1, time, time);
        MarkDurable(Mark());
    }

    /// <summary>Writes the opening frame that was announced.</summary>
    public void Open() => WriteAt(_opening, LogLayout.HeaderBytes);
}
