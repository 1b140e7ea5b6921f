using Sluice.Log.Segments;
using Sluice.Log.Stages;

namespace Sluice.Log;

/// <summary>
/// The files of a log. <see cref="Write"/> and <see cref="TakeMark"/> are called by one thread at a time, <see cref="Sync"/>,
/// <see cref="ConfirmSynced"/> and <see cref="LetGoOfSealed"/> by another one, <see cref="SealFull"/> and <see cref="Housekeep"/> by the
/// log's keeper, and <see cref="MakeAhead"/> by its maker, side by side.
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

    /// <summary>Makes durable what the mark says.</summary>
    public abstract void Sync();

    /// <summary>Throws if the bytes that the last sync made durable are in no file of the log any more.</summary>
    /// <exception cref="IOException">It is not; later records go to another file.</exception>
    public virtual void ConfirmSynced()
    {
    }

    /// <summary>The last sequence that is durable; after <see cref="Sync"/>.</summary>
    public abstract long DurableSequence { get; }

    /// <summary>The newest file that has begun and is durable; 0 where there is none, or files are not told apart.</summary>
    public virtual long DurableSegment => 0;

    /// <summary>The largest id that a file has had; 0 where files are not told apart.</summary>
    public virtual long LargestId => 0;

    /// <summary>Whether that one, or one before it, has taken records back.</summary>
    public virtual bool TookBack => false;

    /// <summary>Compresses what is full; null where nobody asks for it.</summary>
    public SegmentCompressor? Compressor { get; protected init; }

    /// <summary>Seals what is full and durable, as far as the log's state on the disk covers it.</summary>
    /// <param name="covered">The last sequence that it covers, at least.</param>
    /// <returns>The error of a segment that has no footer now; null if there was none.</returns>
    public virtual Exception? SealFull(long covered) => null;

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

    /// <summary>After the last write and sync: gives back what was reserved.</summary>
    public abstract void Finish();

    public abstract void Dispose();
}
