using System.Runtime.ExceptionServices;
using Sluice.Log;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice;

// Where a log begins, and dropping that.
public sealed partial class SluiceLog
{
    /// <summary>
    /// Gets the sequence number of the oldest record in a framed log, or <see cref="NextSequence"/> if the log has no records.
    /// </summary>
    /// <exception cref="NotSupportedException">The log is a raw log.</exception>
    public long FirstSequence => Framed().FirstSequence;

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

        // Not beside the closing: a log that is closed may be another writer's already.
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
                // What was closed before goes all the same: the disk may be full, and wait for just that.
                failure = ExceptionDispatchInfo.Capture(e);
            }

            int removed = output.RemoveBefore(isOld);
            failure?.Throw();
            return removed;
        }
    }
}
