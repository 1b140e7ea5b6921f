using Sluice.Log.Segments;
using Sluice.Log.Stages;

namespace Sluice.Log;

/// <summary>
/// The files of a log. <see cref="Write"/> and <see cref="TakeMark"/> are called by one thread at a time, <see cref="Sync"/>,
/// <see cref="ConfirmSynced"/> and <see cref="CloseFull"/> by another one, and <see cref="MakeAhead"/> and <see cref="Housekeep"/> by the
/// log's keeper, side by side.
/// </summary>
internal abstract class LogOutput : IDisposable
{
    private Exception? _lastError;

    /// <summary>The most recent error of a write, a sync or a background task; null if there was none.</summary>
    public Exception? LastError
    {
        get => Volatile.Read(ref _lastError);
        set => Volatile.Write(ref _lastError, value);
    }

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

    /// <summary>The largest id that a file has had; 0 where files are not told apart.</summary>
    public virtual long LargestId => 0;

    /// <summary>Compresses what is full; null where nobody asks for it.</summary>
    public SegmentCompressor? Compressor { get; protected init; }

    /// <summary>Closes what is full and durable.</summary>
    /// <param name="seals">True to write footers: a log.state on the disk covers the segments.</param>
    /// <returns>The error of a segment that has no footer now; null if there was none.</returns>
    public virtual Exception? CloseFull(bool seals) => null;

    /// <summary>Creates the next file, if one is wanted. If that fails, <see cref="Housekeep"/> tries again.</summary>
    public virtual void MakeAhead()
    {
    }

    /// <summary>Removes what is not to be kept.</summary>
    public abstract void Housekeep();

    /// <summary>After the last write and sync: gives back what was reserved.</summary>
    public abstract void Finish();

    public abstract void Dispose();
}
