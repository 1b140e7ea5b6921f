using System.Buffers.Binary;
using System.IO.Pipelines;
using Sluice.Log;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Kept;
using Sluice.Log.Stages;

namespace Sluice;

/// <summary>
/// A log of records in a folder: any number of threads append, each append returns once what it asked for holds (in memory, with the
/// operating system, on the disk), and one write or one sync serves all who wait at once.
/// </summary>
/// <remarks>
/// Thread-safe. A framed log has one writer, and any number of <see cref="SluiceLogReader"/>s, in other processes too. Records have
/// sequence numbers from 1 on, in the order in which they stand in the files. Numbers are given without gaps, and one is no record's where
/// its append failed, where its reservation was given up, or, with <see cref="LogMemory.Shared"/>, where the process ended in the midst of
/// the append: readers pass over it. Sizes are in bytes.
/// </remarks>
public sealed partial class SluiceLog : IDisposable, IAsyncDisposable
{
    private readonly LogSettings _settings;
    private readonly LogOutput _output;
    private readonly PageRing _ring;
    private readonly WriteStage _writes;
    private readonly SyncStage _syncs;
    private readonly DurableMark _mark;
    private readonly WriterLock? _lock;
    private readonly KeptMemory? _kept;
    private readonly Guid _logId;
    private readonly int _headerBytes;
    private readonly int _flushAt;
    private readonly EventHandler? _onExit;
    private readonly Lock _closing = new();
    private bool _isClosing;
    private bool _isClosed;

    private SluiceLog(string directory, LogSettings settings, LogOutput output, LogOpening opening)
    {
        Directory = directory;
        (_settings, _output, _lock, _kept, Cut) = (settings, output, opening.Lock, opening.Memory, opening.Recovered?.Cut);
        (Restored, MemoryReason) = (opening.Restored, opening.MemoryReason);
        _logId = opening.Recovered?.LogId ?? Guid.Empty;
        long next = opening.Written + 1;
        _headerBytes = output.RecordHeaderBytes;
        _ring = new PageRing(
            _kept?.Pages.Select(static p => new LogPage(p))
                ?? Enumerable.Range(0, settings.Pages).Select(_ => new LogPage(settings.PageBytes)),
            output.PageStart,
            next);
        _flushAt = settings.FlushBytes < settings.PageBytes ? settings.FlushBytes : int.MaxValue;
        _writes = new WriteStage(_ring, output, directory, next - 1, settings.FlushIntervalMs, () => _syncs!.SignalKeeper());
        _mark = new DurableMark(WriteMark, () => _lock?.Flush(_settings), output.DurableSequence);
        _syncs = new SyncStage(_writes, output, directory, _mark, settings.RetentionIntervalMs);
        if (opening.Recovered is { } recovered)
        {
            WriteMark(recovered.NextSequence - 1);
            if (recovered.HasAcceptedLoss)
            {
                // Else a power cut would bring the old state back, and with it the loss.
                _mark.Flush();
            }
        }

        StartThreads();
        _syncs.SignalKeeper();
        if (settings.DisposeOnProcessExit)
        {
            _onExit = (_, _) => DisposeAtExit();
            AppDomain.CurrentDomain.ProcessExit += _onExit;
        }
    }

    /// <summary>The folder, as a full path.</summary>
    public string Directory { get; }

    /// <summary>What was cut from the end when the log was opened; null where everything was whole.</summary>
    public SluiceLogCut? Cut { get; }

    /// <summary>
    /// How many records of the last writer were in <see cref="LogMemory.Shared"/> memory alone, and were written to the files when the log
    /// was opened.
    /// </summary>
    public long Restored { get; }

    /// <summary>Which memory the log has.</summary>
    public LogMemory Memory => _kept is null ? LogMemory.Process : LogMemory.Shared;

    /// <summary>Why it has that one.</summary>
    public string MemoryReason { get; }

    /// <summary>How the files look.</summary>
    public LogFormat Format => _settings.Format;

    /// <summary>The longest record in bytes.</summary>
    public int MaxRecordBytes => _settings.MaxRecordBytes;

    /// <summary>What an append without a durability of its own waits for.</summary>
    public LogDurability DefaultDurability => _settings.Durability;

    /// <summary>The sequence that the next record will get, if nobody else appends, or drops a tail, meanwhile.</summary>
    public long NextSequence => _ring.NextSequence;

    /// <summary>
    /// The last sequence that the files have; 0 for none. With <see cref="LogMemory.Shared"/> later ones may be
    /// <see cref="LogDurability.Written"/> all the same.
    /// </summary>
    public long WrittenSequence => _writes.Written;

    /// <summary>The last sequence that is on the disk; 0 for none.</summary>
    public long DurableSequence => _syncs.Durable;

    /// <summary>
    /// The newest error of a write, a sync or of work that nobody waited for (sealing, retention, the next segment, compression); null
    /// where there was none.
    /// Whoever waited for something that failed was told by an exception as well.
    /// </summary>
    public Exception? LastError => NotedError.Newest(_writes.LastError, _syncs.LastError, _output.Compressor?.LastError);

    /// <summary>Appends a record, and waits for the log's default durability.</summary>
    /// <param name="record">Its bytes, which may be none; copied before this returns.</param>
    /// <returns>Its sequence number, larger than those of all records that were in the log before; not always by one.</returns>
    /// <exception cref="ArgumentException">It is longer than <see cref="SluiceLogOptions.MaxRecordBytes"/>.</exception>
    /// <exception cref="IOException">
    /// It could not be written: then it is withdrawn, not in the log, and its number is no record's. Where not even its beginning could be
    /// wiped, a follower may be given it before the next write; after a kill or a closing that fails before that, or a power cut before
    /// anything behind it is durable, it may be found, whole, or not. Or all
    /// memory waits to be written, and <see cref="SluiceLogOptions.WaitWhenFull"/> is false: then it is not in the log. Or it was written,
    /// and could not be made durable: then it may be in the log all the same. In a raw log it may be in the first case too. Or it comes
    /// from within the log's own work on this thread (a handler of AppDomain.FirstChanceException, when a write fails) and would wait for
    /// that: then it is not in the log.
    /// </exception>
    /// <exception cref="InvalidOperationException">This thread has a reservation in the log that it has neither committed nor disposed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public long Append(ReadOnlySpan<byte> record) => Append(record, _settings.Durability);

    /// <inheritdoc cref="Append(ReadOnlySpan{byte})"/>
    /// <param name="durability">What to wait for.</param>
    public long Append(ReadOnlySpan<byte> record, LogDurability durability)
    {
        _ = LogSettings.Known(durability);
        CheckLength(record.Length, nameof(record));
        ThrowIfReserved();
        ThrowIfWithin(durability);
        int bytes = _headerBytes + record.Length;
        Placed place = Take(bytes, 1);
        CopyRecord(place.Page.Bytes.Slice(place.Offset, bytes), record, durability);
        if (EndCopy(place, bytes, 1, durability))
        {
            Wait(durability, place.FirstSequence, 1, place);
        }

        return place.FirstSequence;
    }

    /// <summary>
    /// Appends records that stand together: one behind another, and in a framed log after a crash all there or none.
    /// </summary>
    /// <param name="records">Their bytes. Together, with 4 for each, no more than <see cref="SluiceLogOptions.MaxRecordBytes"/>.</param>
    /// <param name="durability">What to wait for; null for the log's default.</param>
    /// <returns>The sequence number of the first; the others follow it. Of no records, that of the next append.</returns>
    /// <inheritdoc cref="Append(ReadOnlySpan{byte})"/>
    public long AppendBatch(ReadOnlySpan<ReadOnlyMemory<byte>> records, LogDurability? durability = null)
    {
        LogDurability wanted = LogSettings.Known(durability ?? _settings.Durability);
        ThrowIfReserved();
        if (records.IsEmpty)
        {
            return NextSequence;
        }

        ThrowIfWithin(wanted);
        using RecordBatch batch = new(records, _headerBytes, wanted, _settings.MaxRecordBytes);
        Placed place = Take(batch.Bytes.Length, batch.Count);
        if (CopyBatch(place, batch, wanted))
        {
            Wait(wanted, place.FirstSequence + batch.Count - 1, batch.Count, place);
        }

        return place.FirstSequence;
    }

    /// <summary>
    /// Takes a place for a record of a known size, to be written in place. With <see cref="LogMemory.Shared"/> it is written to memory of
    /// its own, and copied at its end.
    /// </summary>
    /// <param name="size">The record's bytes.</param>
    /// <returns>The room; commit or dispose it.</returns>
    /// <exception cref="ArgumentException">It is longer than <see cref="SluiceLogOptions.MaxRecordBytes"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="size"/> is negative.</exception>
    /// <exception cref="NotSupportedException">The log is a raw one.</exception>
    /// <exception cref="IOException">All memory waits to be written, and is not to be waited for; or a write failed.</exception>
    /// <exception cref="InvalidOperationException">This thread has one already that it has neither committed nor disposed.</exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public LogReservation Reserve(int size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        if (_headerBytes == 0)
        {
            throw new NotSupportedException("A raw log cannot withdraw a record: append it.");
        }

        CheckLength(size, nameof(size));
        ThrowIfReserved();

        // What a caller keeps of a span after its end must harm nobody, and memory that is shared is not the collector's. Made before a
        // place is taken: where there is none, nobody could fill that.
        byte[]? own = _kept is null ? null : new byte[size];
        OpenReservation open = OpenReservation.Rent();
        open.Begin(this, Take(_headerBytes + size, 1), own, size);

        // What its owner does not fill goes to the file as well: not what this memory had before.
        open.Record.Clear();
        return new LogReservation(this, open);
    }

    /// <summary>Waits until everything that was appended before is written, or on the disk.</summary>
    /// <param name="durability">What to wait for.</param>
    /// <exception cref="IOException">It could not be written or made durable; what was buffered stays in memory, and is tried
    /// again.</exception>
    /// <exception cref="InvalidOperationException">This thread has a reservation in the log that it has neither committed nor disposed.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public void Flush(LogDurability durability = LogDurability.Durable)
    {
        _ = LogSettings.Known(durability);
        ThrowIfClosed();
        ThrowIfReserved();
        if (durability != LogDurability.Buffered)
        {
            long last = _ring.NextSequenceIn(out int epoch) - 1;
            Wait(durability, last, LogWaiter.Any, default, epoch);
        }
    }

    /// <summary>A writer of text each of whose lines is a record, in UTF-8; disposing it leaves the log open.</summary>
    /// <param name="durability">What the end of a line waits for; null for the log's default.</param>
    /// <returns>
    /// For one thread at a time. In a framed log a record has no line end; in a raw one it keeps it. A line without an end is appended when
    /// the writer is disposed. Flush waits for what the end of a line waits for, and where that is nothing, until the lines are written.
    /// On a thread that has a reservation in the log its synchronous members are refused as an append is: nothing of the call is taken.
    /// </returns>
    public TextWriter CreateTextWriter(LogDurability? durability = null) =>
        new LogTextWriter(this, LogSettings.Known(durability ?? _settings.Durability), keepsLineEnds: _headerBytes == 0) { NewLine = "\n" };

    /// <summary>A pipe into the log: what was written up to a flush is one record. Completing it leaves the log open.</summary>
    /// <param name="durability">What a flush waits for; null for the log's default.</param>
    /// <returns>
    /// For one producer at a time. A flush of nothing appends nothing. After a flush that failed or was cancelled the bytes stay, and go
    /// with the next one; completing with an exception drops them, completing without one appends them as a last record. On a
    /// thread that has a reservation in the log what would append is refused: the bytes stay.
    /// </returns>
    public PipeWriter CreatePipeWriter(LogDurability? durability = null) =>
        new LogPipeWriter(this, LogSettings.Known(durability ?? _settings.Durability));

    internal long EndReservation(Placed place, Span<byte> record, LogDurability durability, bool isWithdrawn)
    {
        Exception? refusal = isWithdrawn ? null : Refusal(durability);
        uint header = (uint)record.Length | (isWithdrawn || refusal is not null ? LogLayout.Withdrawn : (uint)durability << 30);
        BinaryPrimitives.WriteUInt32LittleEndian(place.Page.Bytes[place.Offset..], header);
        if ((header & LogLayout.Withdrawn) == LogLayout.Withdrawn)
        {
            // Its owner has taken it back: it has a number in the file, and none of the bytes.
            record.Clear();
        }

        if (_kept is not null)
        {
            record.CopyTo(place.Page.Bytes[(place.Offset + _headerBytes)..]);
        }

        if (EndCopy(place, _headerBytes + record.Length, 1, refusal is null ? durability : LogDurability.Buffered))
        {
            Wait(durability, place.FirstSequence, 1, place);
        }

        if (refusal is not null)
        {
            throw refusal;
        }

        return place.FirstSequence;
    }

    private bool CopyBatch(Placed place, RecordBatch batch, LogDurability durability)
    {
        batch.Bytes.CopyTo(place.Page.Bytes[place.Offset..]);
        return EndCopy(place, batch.Bytes.Length, batch.Count, durability);
    }

    private void CopyRecord(Span<byte> at, ReadOnlySpan<byte> record, LogDurability durability)
    {
        if (_headerBytes > 0)
        {
            BinaryPrimitives.WriteUInt32LittleEndian(at, (uint)record.Length | ((uint)durability << 30));
        }

        record.CopyTo(at[_headerBytes..]);
    }

    private void CheckLength(int bytes, string parameter)
    {
        if (bytes > _settings.MaxRecordBytes)
        {
            LogErrors.ThrowTooLong(bytes, _settings.MaxRecordBytes, parameter);
        }
    }

    private void ThrowIfClosed()
    {
        if (Volatile.Read(ref _isClosing))
        {
            LogErrors.ThrowClosed(Directory);
        }
    }

    private void WriteMark(long durable) =>
        _lock?.Write(new LogState(
            _settings.Durability, _logId, durable, Environment.ProcessId, _output.DurableSegment, _output.TookBack));
}
