using System.Runtime.ExceptionServices;
using Sluice.Log;
using Sluice.Log.Frames;
using Sluice.Log.Segments;
using Sluice.Memory;

namespace Sluice;

// Where a log begins, and dropping that.
public sealed partial class SluiceLog
{
    /// <summary>The sequence of the oldest record that is there; that of the next append where there is none. Framed logs only.</summary>
    /// <exception cref="NotSupportedException">The log is a raw one.</exception>
    public long FirstSequence => Framed().FirstSequence;

    /// <summary>
    /// Removes segments whose records are all before one; the segment that is written stays, and the one before it until that one was
    /// synced.
    /// </summary>
    /// <param name="sequence">The first record that must stay.</param>
    /// <returns>How many segments were removed.</returns>
    /// <exception cref="IOException">
    /// One could not be removed; those before it are. Or full segments could not be made durable and closed first; those that were are
    /// removed. Or one that was taken back could only be emptied; then the others are removed.
    /// </exception>
    /// <exception cref="InvalidOperationException">This thread has a reservation in the log that it has neither committed nor disposed.
    /// </exception>
    /// <exception cref="NotSupportedException">The log is a raw one.</exception>
    public int TruncateBefore(long sequence) => RemoveBefore(s => s.LastSequence < sequence);

    /// <inheritdoc cref="TruncateBefore(long)"/>
    /// <param name="time">Records from this time on must stay.</param>
    public int TruncateBefore(DateTimeOffset time)
    {
        long nanoseconds = LogLayout.ToNanoseconds(time.UtcDateTime);
        return RemoveBefore(s => s.LastTime < nanoseconds);
    }

    private int RemoveBefore(Func<ClosedSegment, bool> isOld)
    {
        FramedOutput output = Framed();
        ThrowIfReserved();
        ThrowIfWithinOrOwn();

        // Not beside the closing: a log that is closed may be another writer's already.
        using (_closing.EnterUninterrupted())
        {
            ThrowIfClosed();
            ExceptionDispatchInfo? failure = null;
            try
            {
                _syncs.CloseFull();
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
