using Sluice.Log.Segments;
using Sluice.Log.Stages;

namespace Sluice.Log;

/// <summary>
/// Where pages go. <see cref="Write"/>, <see cref="TakeMark"/>, <see cref="Recover"/> and <see cref="EndWithdrawn"/> are called by whoever
/// has the write stage, <see cref="BeforeSync"/>, <see cref="Sync"/>, <see cref="Recover"/> and <see cref="LetGoOfSealed"/> by whoever has
/// the sync stage, <see cref="SealFull"/> and <see cref="Housekeep"/> by the log's keeper, <see cref="MakeAhead"/> by its maker; the four
/// run side by side. Who closes or truncates the log seals too.
/// </summary>
internal abstract class LogOutput : IDisposable
{
    /// <summary>Bytes left free before the first record of a page.</summary>
    public abstract int PageStart { get; }

    /// <summary>Bytes before each record.</summary>
    public abstract int RecordHeaderBytes { get; }

    /// <summary>Whether there is something for the log's keeper to do.</summary>
    public abstract bool NeedsHousekeeping { get; }

    /// <summary>Whether something is full, and is to be made durable and sealed.</summary>
    public abstract bool HasFull { get; }

    /// <summary>Whether so many are full that whoever fills more is to wait for the keeper.</summary>
    public abstract bool IsBehind { get; }

    /// <summary>Writes a sealed page whole, or throws; then the same page comes again.</summary>
    public abstract void Write(LogPage page);

    /// <summary>Notes how far it is written: what the next <see cref="Sync"/> is to make durable.</summary>
    public abstract void TakeMark();

    /// <summary>
    /// What must be so before anything more is durable. Where it throws no sync has failed: nothing is to be written anew, and the next
    /// sync asks again.
    /// </summary>
    public virtual void BeforeSync()
    {
    }

    /// <summary>Makes durable what the mark says.</summary>
    public abstract void Sync();

    /// <summary>
    /// After a sync that failed: writes what is not durable to another place and makes it durable there, or throws. No sync of what the
    /// failed one was for counts any more.
    /// </summary>
    public abstract void Recover();

    /// <summary>The last sequence that is durable; after <see cref="Sync"/> and <see cref="Recover"/>.</summary>
    public abstract long DurableSequence { get; }

    /// <summary>The newest file that has begun and is durable; 0 where there is none, or files are not told apart.</summary>
    public virtual long DurableSegment => 0;

    /// <summary>Whether that one, or one before it, has taken records back.</summary>
    public virtual bool TookBack => false;

    /// <summary>Compresses what is full; null where nobody asks for it.</summary>
    public SegmentCompressor? Compressor { get; protected init; }

    /// <summary>Seals what is full and durable, as far as the log's state on the disk covers it.</summary>
    /// <param name="covered">The last sequence that it covers, at least.</param>
    public virtual void SealFull(long covered)
    {
    }

    /// <summary>Lets go of what is sealed; whoever calls it closes that, with no stage in its hand while others append.</summary>
    public virtual IReadOnlyList<IDisposable> LetGoOfSealed() => [];

    /// <summary>Whether files are made ahead, which a thread of their own does: nothing that takes long is before it.</summary>
    public virtual bool MakesAhead => false;

    /// <summary>Whether a file is to be made ahead.</summary>
    public virtual bool WantsNext => false;

    /// <summary>Makes the next file, if one is wanted. Where that fails, <see cref="Housekeep"/> tries once more.</summary>
    public virtual void MakeAhead()
    {
    }

    /// <summary>Removes what is not to be kept.</summary>
    public abstract void Housekeep();

    /// <summary>
    /// Sees to it that what has come to nothing, and could not be removed at once, is nothing any more, also after a power cut.
    /// </summary>
    /// <exception cref="IOException">It is still there.</exception>
    /// <exception cref="UnauthorizedAccessException">It is still there.</exception>
    public virtual void EndWithdrawn()
    {
    }

    /// <summary>After the last write and sync: gives back what was reserved.</summary>
    public abstract void Finish();

    public abstract void Dispose();
}
