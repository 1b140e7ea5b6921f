using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

namespace Sluice.Log.Segments;

/// <summary>
/// A removal of the records at the end of a log. It is saved to a file before it is carried out, so that the next opening completes what a
/// crash interrupts. See docs/log-format.md.
/// </summary>
/// <param name="LogId">The log's id.</param>
/// <param name="LastKept">The sequence number of the last record that stays.</param>
/// <param name="SegmentId">The id of the segment that is truncated. Segments with larger ids are removed.</param>
/// <param name="Offset">The offset at which it is truncated.</param>
/// <param name="Frame">
/// The frame that is then written at the offset, with the kept records of the frame that was there; empty if all of its records are
/// removed.
/// </param>
internal sealed record TailRemoval(Guid LogId, long LastKept, long SegmentId, long Offset, byte[] Frame)
{
    private const byte Version = 1;
    private const int HeaderBytes = 64;

    /// <summary>The first sequence number that is not in the files while the removal is carried out.</summary>
    public long FirstMissing => Frame.Length > 0 ? LogLayout.ReadFrameHeader(Frame).FirstSequence : LastKept + 1;

    private static ReadOnlySpan<byte> Magic => "SLUICETR"u8;

    /// <summary>Determines where to truncate a log. Changes nothing.</summary>
    /// <param name="segment">A reader of the segment that contains the first record to remove.</param>
    /// <param name="entry">An entry of the writer's index for the last record to keep; null if there is none.</param>
    /// <param name="lastKept">The sequence number of the last record to keep.</param>
    /// <exception cref="IOException">The segment is damaged or cannot be read.</exception>
    public static TailRemoval Plan(SegmentReader segment, IndexEntry? entry, long lastKept)
    {
        if (lastKept < segment.FirstSequence)
        {
            return new TailRemoval(segment.LogId, lastKept, segment.Id, segment.Offset, []);
        }

        FrameHeader last = segment.ReadFrameOf(lastKept, entry);
        int kept = (int)(lastKept - last.FirstSequence + 1);
        return kept == last.Count
            ? new TailRemoval(segment.LogId, lastKept, segment.Id, segment.Offset, [])
            : new TailRemoval(
                segment.LogId, lastKept, segment.Id, segment.FrameOffset, Shorten(last, segment.Payload, kept, segment.FrameChain));
    }

    /// <summary>Returns the removal that was saved and not completed; null if there is none, or if its file is incomplete.</summary>
    public static TailRemoval? TryRead(LogFolder folder)
    {
        try
        {
            using SluiceHandle file = folder.Open(folder.RemovalPath, FileMode.Open, FileAccess.Read);
            byte[] header = new byte[HeaderBytes];
            if (file.Read(header, 0) < HeaderBytes || file.Length - HeaderBytes > LogLayout.MaxFrameBytes)
            {
                return null;
            }

            byte[] bytes = new byte[file.Length];
            return header.AsSpan().StartsWith(Magic) && file.Read(bytes, 0) == bytes.Length ? Parse(bytes) : null;
        }
        catch (FileNotFoundException)
        {
            return null;
        }
    }

    /// <summary>Saves the removal durably.</summary>
    /// <exception cref="IOException">The removal could not be saved; <see cref="Delete"/> deletes an incomplete file.</exception>
    public void Save(LogFolder folder, SluiceLogOptions settings)
    {
        byte[] bytes = new byte[HeaderBytes + Frame.Length];
        Magic.CopyTo(bytes);
        bytes[8] = Version;
        _ = LogId.TryWriteBytes(bytes.AsSpan(16), bigEndian: true, out _);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(32), LastKept);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(40), SegmentId);
        BinaryPrimitives.WriteInt64LittleEndian(bytes.AsSpan(48), Offset);
        BinaryPrimitives.WriteInt32LittleEndian(bytes.AsSpan(56), Frame.Length);
        Frame.CopyTo(bytes, HeaderBytes);
        BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(60), SumOf(bytes));
        folder.Delete(folder.RemovalPath);
        using SluiceHandle segment = folder.OpenToRead(SegmentId);
        using SluiceHandle file = folder.Open(
            folder.RemovalPath, FileMode.CreateNew, FileAccess.ReadWrite, settings, LogFile.PermissionsOf(segment));
        LogFile.Write(file, bytes, 0);
        LogFile.Flush(file, settings);
        folder.FlushToDisk();
    }

    /// <summary>Deletes the file of a removal durably, after the removal was completed or if it was not begun.</summary>
    /// <exception cref="IOException">The file may still exist.</exception>
    public static void Delete(LogFolder folder)
    {
        folder.Delete(folder.RemovalPath);
        folder.FlushToDisk();
    }

    /// <summary>
    /// Removes the records, durably, and then the file of the removal. May be called again after a failure or a crash.
    /// </summary>
    /// <param name="folder">The log's folder.</param>
    /// <param name="settings">The options.</param>
    /// <param name="lowerState">Lowers the durable sequence number in log.state, durably.</param>
    /// <returns>The truncated segment, in which the log continues.</returns>
    /// <exception cref="IOException">The removal was not completed, or another writer has the log.</exception>
    public SegmentFile Apply(LogFolder folder, SluiceLogOptions settings, Action<long> lowerState)
    {
        lowerState(FirstMissing - 1);
        SluiceHandle? file = null;
        try
        {
            List<long> later = folder.List().FindAll(id => id > SegmentId);
            file = folder.Open(folder.PathOf(SegmentId), FileMode.Open, FileAccess.ReadWrite, settings);
            WriterLock.TakeSegment(folder.Path, file);
            if (SegmentInfo.Read(file, SegmentId)?.Header.LogId != LogId)
            {
                throw new SluiceLogDamagedException(folder.RemovalPath, -1, 0, "it is of another log; delete it");
            }

            // The newest segment is removed first, so that an interruption leaves no gap.
            for (int i = later.Count - 1; i >= 0; i--)
            {
                _ = folder.DeleteOrEmpty(folder.PathOf(later[i]), settings);
            }

            folder.FlushToDisk();
            LogFile.SetLength(file, Offset);

            // The truncation is synced before the shorter frame is written: a power failure must not leave the old footer after that frame.
            LogFile.Flush(file, settings);
            if (Frame.Length > 0)
            {
                LogFile.Write(file, Frame, Offset);
                LogFile.Flush(file, settings);
            }

            SegmentFile segment = SegmentFile.Resume(folder, file, settings, SegmentInfo.Read(file, SegmentId)!.Scan(file));
            Delete(folder);
            return segment;
        }
        catch (FileNotFoundException) when (file is null)
        {
            throw new SluiceLogDamagedException(
                folder.RemovalPath, -1, FirstMissing, $"segment {SegmentId}, which it truncates, is missing; delete it");
        }
        catch
        {
            LogFile.TryClose(file);
            throw;
        }
    }

    private static TailRemoval? Parse(byte[] bytes)
    {
        int frameBytes = BinaryPrimitives.ReadInt32LittleEndian(bytes.AsSpan(56));
        return bytes[8] == Version
            && frameBytes == bytes.Length - HeaderBytes
            && BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(60)) == SumOf(bytes)
            ? new TailRemoval(
                new Guid(bytes.AsSpan(16, 16), bigEndian: true),
                BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(32)),
                BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(40)),
                BinaryPrimitives.ReadInt64LittleEndian(bytes.AsSpan(48)),
                bytes[HeaderBytes..])
            : null;
    }

    private static uint SumOf(ReadOnlySpan<byte> bytes) =>
        Crc32C.Append(Crc32C.Append(Crc32C.Begin, bytes[..60]), bytes[HeaderBytes..]);

    /// <summary>Returns a frame with the first records of another one, for the same offset.</summary>
    private static byte[] Shorten(in FrameHeader frame, ReadOnlySpan<byte> payload, int count, uint chain)
    {
        int length = 0;
        for (int i = 0; i < count; i++)
        {
            length += LogLayout.RecordHeaderBytes
                + (int)(BinaryPrimitives.ReadUInt32LittleEndian(payload[length..]) & LogLayout.LengthMask);
        }

        FrameHeader header = frame with { Length = length, Count = count };
        byte[] bytes = new byte[header.FrameBytes];
        LogLayout.WriteFrameHeader(bytes, header);
        payload[..length].CopyTo(bytes.AsSpan(LogLayout.FrameHeaderBytes));
        _ = LogLayout.Sign(bytes, chain);
        return bytes;
    }
}
