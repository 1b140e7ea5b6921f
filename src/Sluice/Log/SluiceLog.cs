using System.Buffers;
using System.IO.Pipelines;
using Sluice.Log;
using Sluice.Log.Appending;
using Sluice.Log.Folders;
using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice;

/// <summary>
/// Represents an append-only log of records in a directory. Any number of threads can append records at the same time. The log combines
/// their records into common writes and flushes.
/// </summary>
/// <remarks>
/// <para>All members are thread-safe. The files of a log are called segments. When a segment is full, the log starts a new one.</para>
/// <para>
/// A framed log (<see cref="LogFormat.Framed"/>) can be open for appending only once at a time. Any number of <see cref="SluiceLogReader"/>
/// instances, in any process, can read it meanwhile. On Linux, several processes can append to the same raw log
/// (<see cref="LogFormat.Raw"/>).
/// </para>
/// <para>
/// Each record has a sequence number. The numbers start at 1 and ascend in the order of the records in the files. A framed log stores them.
/// In a raw log, they are the numbers of the records that this instance has appended.
/// </para>
/// <para>
/// If an append fails, its sequence number remains unused.
/// </para>
/// </remarks>
public sealed partial class SluiceLog : IDisposable, IAsyncDisposable
{
    private readonly LogFolder _folder;
    private readonly SluiceLogOptions _settings;
    private readonly LogOutput _output;
    private readonly PageRing _ring;
    private readonly Committer _committer;
    private readonly Keeper _keeper;
    private readonly StateFile _stateFile;
    private readonly WriterLock? _lock;
    private readonly Guid _logId;
    private readonly int _headerBytes;
    private readonly EventHandler? _onExit;
    private readonly Lock _closing = new();
    private bool _isClosing;
    private bool _isClosed;

    private SluiceLog(LogFolder folder, SluiceLogOptions settings, LogOutput output, WriterLock? writerLock, RecoveredLog? found)
    {
        Directory = folder.Path;
        (_folder, _settings, _output, _lock, Cut) = (folder, settings, output, writerLock, found?.Cut);
        _logId = found?.LogId ?? Guid.Empty;
        long next = found?.NextSequence ?? 1;
        _headerBytes = output.RecordHeaderBytes;
        _ring = new PageRing(
            Enumerable.Range(0, settings.Pages).Select(_ => new LogPage(settings.PageBytes)), output.PageStart, next);
        _stateFile = new StateFile(WriteState, () => _lock?.Flush(_settings), output.DurableSequence);
        _committer = new Committer(_ring, output, Directory, _stateFile, next - 1, (int)Math.Min(settings.FlushInterval.TotalMilliseconds, int.MaxValue));
        _keeper = new Keeper(_committer, output, settings.RetentionIntervalMs);
        LogThreads.Start();
        _keeper.Signal();
        output.Compressor?.Signal();
        if (settings.DisposeOnProcessExit)
        {
            _onExit = (_, _) => DisposeAtExit();
            AppDomain.CurrentDomain.ProcessExit += _onExit;
        }
    }

    /// <summary>Gets the full path of the log's directory.</summary>
    public string Directory { get; }

    /// <summary>
    /// Gets a description of the bytes that were removed from the end of the log when it was opened, or <see langword="null"/> if nothing
    /// was removed. For a raw log, the value is always <see langword="null"/>.
    /// </summary>
    public SluiceLogCut? Cut { get; }

    /// <summary>Gets the format of the log's files.</summary>
    public LogFormat Format => _settings.Format;

    /// <summary>Gets the maximum size of a record, in bytes.</summary>
    public int MaxRecordBytes => _settings.MaxRecordBytes;

    /// <summary>Gets the durability that an append waits for if the call does not specify one.</summary>
    public LogDurability DefaultDurability => _settings.Durability;

    /// <summary>Gets the sequence number that the next record will get.</summary>
    /// <remarks>The value can change at any time if other threads append or remove records.</remarks>
    public long NextSequence => _ring.NextSequence;

    /// <summary>Gets the sequence number of the last record that was written to the files, or 0 if there is none.</summary>
    public long WrittenSequence => _committer.Written;

    /// <summary>Gets the sequence number of the last record that is durable, or 0 if there is none.</summary>
    public long DurableSequence => _committer.Durable;

    /// <summary>
    /// Gets the most recent error of a write, of a flush to the disk or of a background task, or <see langword="null"/> if no error has
    /// occurred.
    /// </summary>
    /// <remarks>
    /// Background tasks create, close, compress and remove segments. If a caller waits for an operation that fails, the caller also gets
    /// the error as an exception.
    /// </remarks>
    public Exception? LastError => _output.LastError;

    /// <summary>
    /// Gets the error of a flush to the disk after which the log accepts no more records, or <see langword="null"/> if there was none.
    /// </summary>
    /// <remarks>
    /// After a flush to the disk has failed, the operating system no longer says whether earlier data is on the disk. Therefore the log writes
    /// and acknowledges nothing more: all pending and later appends and flushes throw an <see cref="IOException"/>. Close the log and open
    /// the directory again to continue.
    /// </remarks>
    public Exception? Failure => _committer.Failure;

    /// <summary>Appends a record and waits for the log's default durability.</summary>
    /// <param name="record">The bytes of the record. It can be empty.</param>
    /// <returns>
    /// The sequence number of the record. It is larger than the sequence numbers of all records that were appended before.
    /// </returns>
    /// <remarks>
    /// <para>
    /// If a record could not be written to a framed log, the record is normally not in the log, and its sequence number remains unused.
    /// However, if the partly written bytes also cannot be erased, readers can still find the record until the next successful write. If
    /// the process or the machine stops before then, the next <see cref="Open"/> can also find the record.
    /// </para>
    /// <para>
    /// If a record could not be made durable, or could not be written to a raw log, the record may be in the log. After a failed flush to the
    /// disk the log accepts no more records (see <see cref="Failure"/>).
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentException">
    /// <paramref name="record"/> is longer than <see cref="SluiceLogOptions.MaxRecordBytes"/>.
    /// </exception>
    /// <exception cref="IOException">
    /// <para>The record could not be written or made durable.</para>
    /// <para>-or-</para>
    /// <para>
    /// There is no space for the record, and <see cref="SluiceLogOptions.WaitWhenFull"/> is <see langword="false"/>. The record is not in
    /// the log.
    /// </para>
    /// <para>-or-</para>
    /// <para>There is no space for the record, and a write that would have freed space failed. The record is not in the log.</para>
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public long Append(ReadOnlySpan<byte> record) => Append(record, _settings.Durability);

    /// <summary>Appends a record and waits for the specified durability.</summary>
    /// <param name="record">The bytes of the record. It can be empty.</param>
    /// <param name="durability">The durability to wait for.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    /// <inheritdoc cref="Append(ReadOnlySpan{byte})"/>
    public long Append(ReadOnlySpan<byte> record, LogDurability durability)
    {
        _ = SluiceLogOptions.Known(durability);
        CheckLength(record.Length, nameof(record));
        int bytes = _headerBytes + record.Length;
        PageReservation reserved = ReserveSpace(bytes, 1);
        CopyRecord(reserved.Page!.Bytes.Slice(reserved.Offset, bytes), record, durability);
        if (EndCopy(reserved, bytes, 1, durability))
        {
            Wait(durability, reserved.FirstSequence, reserved, 1);
        }

        return reserved.FirstSequence;
    }

    /// <param name="record">The bytes of the record. The sequence can be empty. Its memory must not be changed during the call.</param>
    /// <inheritdoc cref="Append(ReadOnlySpan{byte})"/>
    public long Append(ReadOnlySequence<byte> record) => Append(record, _settings.Durability);

    /// <param name="record">The bytes of the record. The sequence can be empty. Its memory must not be changed during the call.</param>
    /// <inheritdoc cref="Append(ReadOnlySpan{byte}, LogDurability)"/>
    public long Append(ReadOnlySequence<byte> record, LogDurability durability)
    {
        if (record.IsSingleSegment)
        {
            return Append(record.FirstSpan, durability);
        }

        using RecordBatch batch = new(record, _headerBytes, SluiceLogOptions.Known(durability), _settings.MaxRecordBytes);
        return Append(batch, durability);
    }

    /// <summary>
    /// Appends several records as a unit. The records get consecutive sequence numbers. After a crash, a framed log contains either all of
    /// these records or none.
    /// </summary>
    /// <param name="records">
    /// The records. Their total size must not exceed <see cref="SluiceLogOptions.MaxRecordBytes"/>. In a framed log, the total size
    /// includes 4 bytes for each record after the first.
    /// </param>
    /// <param name="durability">
    /// The durability to wait for, or <see langword="null"/> (the default) for the default durability of the log.
    /// </param>
    /// <returns>The sequence number of the first record, or <see cref="NextSequence"/> if <paramref name="records"/> is empty.</returns>
    /// <remarks>For the state of the log after a failure, see <see cref="Append(ReadOnlySpan{byte})"/>.</remarks>
    /// <exception cref="ArgumentException">The total size of the records is too large.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    /// <exception cref="IOException">
    /// The records could not be written or made durable, or there is no space for them, as described for
    /// <see cref="Append(ReadOnlySpan{byte})"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public long AppendBatch(ReadOnlySpan<ReadOnlyMemory<byte>> records, LogDurability? durability = null)
    {
        LogDurability wanted = SluiceLogOptions.Known(durability ?? _settings.Durability);
        if (records.IsEmpty)
        {
            return NextSequence;
        }

        using RecordBatch batch = new(records, _headerBytes, wanted, _settings.MaxRecordBytes);
        return Append(batch, wanted);
    }

    /// <summary>Returns a buffer in which the caller writes a record and then commits it.</summary>
    /// <param name="size">The size of the record, in bytes.</param>
    /// <returns>The reservation. The caller must commit or dispose it.</returns>
    /// <exception cref="ArgumentException">
    /// <paramref name="size"/> is larger than <see cref="SluiceLogOptions.MaxRecordBytes"/>.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="size"/> is negative.</exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public LogReservation Reserve(int size)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(size);
        CheckLength(size, nameof(size));
        ThrowIfClosed();
        return new LogReservation(this, size);
    }

    /// <summary>Waits until all records that were appended before the call are written or durable.</summary>
    /// <param name="durability">
    /// The durability to wait for. With <see cref="LogDurability.Buffered"/>, the method returns immediately. The default is
    /// <see cref="LogDurability.Durable"/>.
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    /// <exception cref="IOException">
    /// A record could not be written, and stays in memory until the log can write it; or a flush to the disk failed (see
    /// <see cref="Failure"/>).
    /// </exception>
    /// <exception cref="ObjectDisposedException">The log is closed.</exception>
    public void Flush(LogDurability durability = LogDurability.Durable)
    {
        _ = SluiceLogOptions.Known(durability);
        ThrowIfClosed();
        if (durability != LogDurability.Buffered)
        {
            long last = _ring.NextSequenceIn(out int epoch) - 1;
            Wait(durability, last, new PageReservation(null, 0, 0, epoch), 0);
        }
    }

    /// <summary>Creates a text writer that appends each line as a record, encoded in UTF-8.</summary>
    /// <param name="durability">
    /// The durability to wait for at the end of each line, or <see langword="null"/> (the default) for the default durability of the log.
    /// </param>
    /// <returns>A text writer whose <see cref="TextWriter.NewLine"/> is "\n". Disposing it does not close the log.</returns>
    /// <remarks>
    /// <para>The writer is not thread-safe.</para>
    /// <para>
    /// In a framed log, a record does not include the line ending ("\n" or "\r\n"). In a raw log, it does. If the last line has no line
    /// ending, it is appended when the writer is disposed.
    /// </para>
    /// <para>
    /// <see cref="TextWriter.Flush"/> waits until all complete lines have the specified durability, but at least
    /// <see cref="LogDurability.Written"/>.
    /// </para>
    /// <para>
    /// If a line cannot be appended, it is discarded. If a call contains several lines, the others are appended, and then the call throws the
    /// first exception.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    public TextWriter CreateTextWriter(LogDurability? durability = null) =>
        new LogTextWriter(this, SluiceLogOptions.Known(durability ?? _settings.Durability), keepsLineEnds: _headerBytes == 0) { NewLine = "\n" };

    /// <summary>Creates a pipe writer that appends the bytes written between two flushes as one record.</summary>
    /// <param name="durability">
    /// The durability that a flush waits for, or <see langword="null"/> (the default) for the default durability of the log.
    /// </param>
    /// <returns>A pipe writer. Completing it does not close the log.</returns>
    /// <remarks>
    /// <para>The writer is not thread-safe.</para>
    /// <para>
    /// A flush without new bytes appends nothing. If a flush is canceled, its record is kept, and the next flush appends it before its own.
    /// If a record cannot be appended, it is discarded, the flush throws, and the next flush appends the records after it. When the writer
    /// is completed, the remaining bytes are appended as a last record. If it is completed with an exception, they are discarded.
    /// </para>
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="durability"/> is not a defined value.</exception>
    public PipeWriter CreatePipeWriter(LogDurability? durability = null) =>
        new LogPipeWriter(this, SluiceLogOptions.Known(durability ?? _settings.Durability));

    private long Append(in RecordBatch batch, LogDurability durability)
    {
        PageReservation reserved = ReserveSpace(batch.Bytes.Length, batch.Count);
        if (CopyBatch(reserved, batch, durability))
        {
            Wait(durability, reserved.FirstSequence + batch.Count - 1, reserved, batch.Count);
        }

        return reserved.FirstSequence;
    }

    private bool CopyBatch(in PageReservation reserved, in RecordBatch batch, LogDurability durability)
    {
        batch.Bytes.CopyTo(reserved.Page!.Bytes[reserved.Offset..]);
        return EndCopy(reserved, batch.Bytes.Length, batch.Count, durability);
    }

    private void CopyRecord(Span<byte> at, ReadOnlySpan<byte> record, LogDurability durability)
    {
        if (_headerBytes > 0)
        {
            LogLayout.WriteRecordHeader(at, record.Length, durability);
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

    private void WriteState(long durable) =>
        _lock?.Write(_settings, _logId, durable, _output.LargestId);
}
