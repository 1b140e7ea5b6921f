using Sluice.Log.Segments;
using Sluice.Log.Appending;

namespace Sluice.Log;

/// <summary>
/// The files of a log. <see cref="Write"/> and <see cref="BeginSync"/> are called by one thread at a time, <see cref="Sync"/>,
/// <see cref="ConfirmSynced"/> and <see cref="CloseFull"/> by another one, and <see cref="MakeAhead"/> and <see cref="Housekeep"/> by the
/// log's keeper, concurrently.
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

    /// <summary>The number of bytes left free before the first record of a page.</summary>
    public abstract int PageStart { get; }

    /// <summary>The size of the header of each record, in bytes.</summary>
    public abstract int RecordHeaderBytes { get; }

    /// <summary>True if there is work for the log's keeper.</summary>
    public abstract bool NeedsHousekeeping { get; }

    /// <summary>True if files are full and are to be synced and closed.</summary>
    public abstract bool HasFull { get; }

    /// <summary>True if so many files are full that appends have to wait for the keeper.</summary>
    public abstract bool HasTooManyFull { get; }

    /// <summary>Writes a sealed page. If this fails, the page is passed again, without the bytes of withdrawn records.</summary>
    public abstract void Write(LogPage page);

    /// <summary>Records the written length of the files, which the next <see cref="Sync"/> makes durable.</summary>
    public abstract void BeginSync();

    /// <summary>Makes durable what was written at <see cref="BeginSync"/>.</summary>
    public abstract void Sync();

    /// <summary>Throws if bytes that a sync made durable are in no file of the log any more.</summary>
    /// <param name="isTold">True if a caller waits for the sync and gets the error; otherwise, the next sync throws it again.</param>
    /// <exception cref="IOException">The bytes are in no file of the log. Later records go to another file.</exception>
    public virtual void ConfirmSynced(bool isTold)
    {
    }

    /// <summary>The last sequence number that is durable, as of the last <see cref="Sync"/>.</summary>
    public abstract long DurableSequence { get; }

    /// <summary>The largest id that a file has had; 0 for a raw log.</summary>
    public virtual long LargestId => 0;

    /// <summary>Compresses full files; null if compression is off.</summary>
    public SegmentCompressor? Compressor { get; protected init; }

    /// <summary>Closes the files that are full and durable.</summary>
    /// <param name="seals">True to write footers: a log.state on the disk covers the segments.</param>
    /// <returns>The error of a segment that has no footer now; null if there was none.</returns>
    public virtual Exception? CloseFull(bool seals) => null;

    /// <summary>Creates the next file, if one is wanted.</summary>
    public virtual void MakeAhead()
    {
    }

    /// <summary>Removes the files that retention does not keep.</summary>
    public abstract void Housekeep();

    /// <summary>Releases reserved space and removes a file that was created ahead. Called after the last write and sync.</summary>
    public abstract void Finish();

    public abstract void Dispose();
}
