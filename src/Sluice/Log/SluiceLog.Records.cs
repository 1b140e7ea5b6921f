using System.Runtime.ExceptionServices;
using Sluice.Log;
using Sluice.Log.Appending;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice;

// Reads single records, and removes the oldest ones.
public sealed partial class SluiceLog
{
    /// <summary>
    /// Gets the sequence number of the oldest record in a framed log, or <see cref="NextSequence"/> if the log has no records.
    /// </summary>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    public long FirstSequence => Framed().FirstSequence;

    /// <summary>
    /// Gets the sequence number of the last record that was appended, or of the last one of an earlier process. The value is
    /// <see cref="NextSequence"/> - 1.
    /// </summary>
    /// <remarks>
    /// The record can be in memory only, see <see cref="WrittenSequence"/>. If its append failed, the log has no record with this number.
    /// </remarks>
    public long LastSequence => NextSequence - 1;

    /// <summary>Reads the record with a sequence number from a framed log. All threads can do this at the same time.</summary>
    /// <param name="sequence">The sequence number of the record.</param>
    /// <param name="record">When this method returns <see langword="true"/>, a copy of the record; otherwise, the default value.</param>
    /// <returns>
    /// <see langword="true"/> if the record was read; <see langword="false"/> if the log has no record with this number: it was removed,
    /// its append failed, or it has not been appended.
    /// </returns>
    /// <remarks>
    /// <para>
    /// The record does not have to be durable. If it is in memory only, the method writes it first, as <see cref="Flush"/> does with
    /// <see cref="LogDurability.Written"/>.
    /// </para>
    /// <para>
    /// The method looks the record up in the index of its segment, which has an entry for each 256 KiB, and reads on from there. It
    /// verifies the checksums of what it reads. Records in ascending order take less time, since the method reads on from the record before.
    /// To read all records, use <see cref="OpenReader"/>.
    /// </para>
    /// </remarks>
    /// <exception cref="SluiceLogDamagedException">The record is damaged or missing.</exception>
    /// <exception cref="IOException">The record could not be read, or could not be written.</exception>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    /// <exception cref="UnauthorizedAccessException">The process is not permitted to read the segment.</exception>
    public bool TryRead(long sequence, out SluiceLogRecord record)
    {
        FramedOutput output = Framed();
        ThrowIfClosed();
        if (sequence > _committer.Written && sequence < _ring.NextSequenceIn(out int epoch))
        {
            _committer.WaitWritten(sequence, new PageReservation(null, 0, 0, epoch), 0);
        }

        return output.TryRead(sequence, out record);
    }

    /// <summary>Opens a reader of this log.</summary>
    /// <param name="options">The options of the reader, or <see langword="null"/> (the default) for the default options.</param>
    /// <returns>The reader. It does not depend on the log, which can be closed before.</returns>
    /// <remarks>
    /// The reader is the same as one that <see cref="SluiceLogReader(string, SluiceLogReaderOptions?)"/> opens, but it uses the log's index
    /// of the segment that is being written. Opened at a record or at the end, it reads at most 256 KiB and one group of records before its
    /// first record; other readers read this segment from its start.
    /// </remarks>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    /// <inheritdoc cref="SluiceLogReader(string, SluiceLogReaderOptions?)"/>
    public SluiceLogReader OpenReader(SluiceLogReaderOptions? options = null) => new(Directory, options, Framed().EntryNear);

    /// <summary>Removes the oldest segment files whose records all have sequence numbers below the specified one.</summary>
    /// <param name="sequence">The sequence number of the first record to keep.</param>
    /// <returns>The number of segments that were removed.</returns>
    /// <remarks>
    /// Only whole segments are removed, so records below <paramref name="sequence"/> can remain. The segment that is being written is kept.
    /// The segment before it can be kept for a while, too.
    /// </remarks>
    /// <exception cref="IOException">
    /// <para>A segment could not be removed. Older segments may have been removed.</para>
    /// <para>-or-</para>
    /// <para>A full segment could not be made durable and closed. The segments before it may have been removed.</para>
    /// <para>-or-</para>
    /// <para>The file of a segment could be emptied but not deleted. The other segments were removed.</para>
    /// </exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The process is not permitted to remove a segment. Older segments may have been removed.
    /// </exception>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public int TruncateBefore(long sequence) => RemoveBefore(s => s.LastSequence < sequence);

    /// <summary>Removes the oldest segment files whose records are all older than the specified time.</summary>
    /// <param name="time">The time of the first record to keep.</param>
    /// <remarks>
    /// Only whole segments are removed, so records before <paramref name="time"/> can remain. The segment that is being written is kept.
    /// The segment before it can be kept for a while, too.
    /// </remarks>
    /// <inheritdoc cref="TruncateBefore(long)"/>
    public int TruncateBefore(DateTimeOffset time)
    {
        long nanoseconds = LogLayout.ToNanoseconds(time.UtcDateTime);
        long now = LogLayout.ToNanoseconds(DateTime.UtcNow);
        return RemoveBefore(s => s.TimeBy(now) < nanoseconds);
    }

    private int RemoveBefore(Func<ClosedSegment, bool> isOld)
    {
        FramedOutput output = Framed();

        // No segment is removed while the log is being closed, because another writer may have the files afterwards.
        lock (_closing)
        {
            ThrowIfClosed();
            ExceptionDispatchInfo? failure = null;
            try
            {
                _keeper.CloseFull();
            }
            catch (Exception e)
            {
                // Closed segments are removed nevertheless: a full disk may need their space.
                failure = ExceptionDispatchInfo.Capture(e);
            }

            int removed = output.RemoveBefore(isOld);
            failure?.Throw();
            return removed;
        }
    }
}
