using System.Buffers;
using System.Buffers.Binary;
using DotNext.IO;
using DotNext.Net.Cluster.Consensus.Raft.StateMachine;
using LogEntry = DotNext.Net.Cluster.Consensus.Raft.StateMachine.LogEntry;

namespace Sample.ReplicatedLog;

/// <summary>
/// The state machine of a node: a SluiceLog with the records that a majority of the nodes has. Each record begins with the index and the
/// term of its entry in Raft's log, so that an entry is applied once, also if the node is killed between applying and noting it.
/// </summary>
internal sealed class AppliedLog : IStateMachine, IDisposable
{
    /// <summary>The command id of entries with a record; Raft has entries of its own, too.</summary>
    public const int AppendCommand = 1;

    private const int HeaderBytes = 2 * sizeof(long);

    /// <summary>Raft's log may forget the entries up to a snapshot. After this number of records, the log is the next one.</summary>
    private const int RecordsOfSnapshot = 128;

    private readonly SluiceLog _log;
    private long _appliedIndex;
    private volatile Snapshot? _snapshot;

    public AppliedLog(string directory)
    {
        _log = SluiceLog.Open(directory);
        if (_log.TryRead(_log.LastSequence, out SluiceLogRecord last))
        {
            _appliedIndex = IndexOf(last.Bytes.Span);
            TakeSnapshot(_log.LastSequence / RecordsOfSnapshot * RecordsOfSnapshot);
        }
    }

    /// <summary>Gets the number of the last record.</summary>
    public long LastSequence => _log.LastSequence;

    ISnapshot? ISnapshotManager.Snapshot => _snapshot;

    public static string TextOf(SluiceLogRecord record) => System.Text.Encoding.UTF8.GetString(record.Bytes.Span[HeaderBytes..]);

    /// <summary>Opens a reader of the records. Records that are read are on a majority of the nodes, or will be.</summary>
    public SluiceLogReader OpenReader(long from) => _log.OpenReader(new SluiceLogReaderOptions { FromSequence = from });

    /// <summary>Applies an entry that a majority has. Raft's log calls this for one entry after the other.</summary>
    public async ValueTask<long> ApplyAsync(LogEntry entry, CancellationToken token)
    {
        if (entry.IsSnapshot)
        {
            await InstallAsync(entry, token);
        }
        else if (entry.CommandId == AppendCommand && entry.Index > _appliedIndex && entry.TryGetPayload(out ReadOnlySequence<byte> text))
        {
            byte[] record = new byte[HeaderBytes + text.Length];
            BinaryPrimitives.WriteInt64LittleEndian(record, entry.Index);
            BinaryPrimitives.WriteInt64LittleEndian(record.AsSpan(sizeof(long)), entry.Term);
            text.CopyTo(record.AsSpan(HeaderBytes));
            long sequence = await AppendAsync(record, token);

            // On the node that was asked to append it.
            (entry.Context as TaskCompletionSource<long>)?.TrySetResult(sequence);
        }

        return entry.Index;
    }

    ValueTask ISnapshotManager.ReclaimGarbageAsync(long watermark, CancellationToken token) => ValueTask.CompletedTask;

    public void Dispose() => _log.Dispose();

    private static long IndexOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadInt64LittleEndian(record);

    private static long TermOf(ReadOnlySpan<byte> record) => BinaryPrimitives.ReadInt64LittleEndian(record[sizeof(long)..]);

    /// <summary>Appends a record, which then survives the process. What a power failure takes is applied again from Raft's log.</summary>
    private async ValueTask<long> AppendAsync(byte[] record, CancellationToken token)
    {
        long sequence = await _log.AppendAsync(record, LogDurability.Written, token);
        _appliedIndex = IndexOf(record);
        if (sequence % RecordsOfSnapshot == 0)
        {
            await _log.WaitDurableAsync(sequence, token);
            TakeSnapshot(sequence);
        }

        return sequence;
    }

    private void TakeSnapshot(long sequence)
    {
        if (_log.TryRead(sequence, out SluiceLogRecord record))
        {
            _snapshot = new Snapshot(this, record);
        }
    }

    /// <summary>Appends the records of another node's log that this one lacks.</summary>
    private async ValueTask InstallAsync(LogEntry entry, CancellationToken token)
    {
        string path = _log.Directory + "-received";
        await using SluiceStream copy = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Options = FileOptions.DeleteOnClose,
        });
        await entry.WriteToAsync(copy, token: token);
        copy.Position = 0;
        byte[] length = new byte[sizeof(int)];
        while (await copy.ReadAtLeastAsync(length, length.Length, throwOnEndOfStream: false, token) > 0)
        {
            byte[] record = new byte[BinaryPrimitives.ReadInt32LittleEndian(length)];
            await copy.ReadExactlyAsync(record, token);
            if (IndexOf(record) > _appliedIndex)
            {
                _ = await AppendAsync(record, token);
            }
        }

        await _log.FlushAsync(LogDurability.Durable, token);
        TakeSnapshot(_log.LastSequence);
    }

    /// <summary>All records up to one, for a node that lacks more than Raft's log has.</summary>
    private sealed class Snapshot(AppliedLog log, SluiceLogRecord last) : ISnapshot
    {
        public long Index { get; } = IndexOf(last.Bytes.Span);

        public long Term { get; } = TermOf(last.Bytes.Span);

        public DateTimeOffset Timestamp => last.Time;

        long? IDataTransferObject.Length => null;

        bool IDataTransferObject.IsReusable => true;

        async ValueTask IDataTransferObject.WriteToAsync<TWriter>(TWriter writer, CancellationToken token)
        {
            using SluiceLogReader reader = log.OpenReader(1);
            await foreach (SluiceLogRecord record in reader.ReadAllAsync(token))
            {
                byte[] bytes = new byte[sizeof(int) + record.Bytes.Length];
                BinaryPrimitives.WriteInt32LittleEndian(bytes, record.Bytes.Length);
                record.Bytes.CopyTo(bytes.AsMemory(sizeof(int)));
                await writer.WriteAsync(bytes, token: token);
                if (record.Sequence == last.Sequence)
                {
                    break;
                }
            }
        }
    }
}
