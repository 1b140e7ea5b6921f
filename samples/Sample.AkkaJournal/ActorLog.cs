using Akka.Actor;

namespace Sample.AkkaJournal;

/// <summary>
/// The log of all actors of a system. Their appends share writes and syncs. The index is in memory; one pass over the log builds it when
/// the system starts. Thread-safe.
/// </summary>
internal sealed class ActorLog : IExtension, IDisposable
{
    private readonly SluiceLog _log;
    private readonly Dictionary<string, ActorIndex> _actors = [];
    private readonly Lock _lock = new();

    /// <summary>
    /// The next sequence number of the log at the start of each append that has not ended. The first record of the append has this number
    /// or a higher one.
    /// </summary>
    private readonly List<long> _appends = [];

    private ActorLog(string directory)
    {
        // The events of one write, or a snapshot, can have up to 8 MiB.
        _log = SluiceLog.Open(
            directory, new SluiceLogOptions { Durability = LogDurability.Durable, MaxRecordBytes = 8 << 20, SegmentBytes = 64 << 20 });
        using SluiceLogReader all = _log.OpenReader();
        foreach (LogEntry entry in all.Entries)
        {
            Add(ActorRecord.Decode(entry.Bytes), entry.Sequence);
        }
    }

    /// <summary>Returns the log that the journal and the snapshot store of an actor system share, and opens it if necessary.</summary>
    public static ActorLog Of(ActorSystem system) => new Provider().Apply(system);

    public void Dispose() => _log.Dispose();

    /// <summary>Appends records as a unit: after a crash, the log has all of them or none.</summary>
    /// <returns>A task that completes when the records are durable.</returns>
    public async Task AppendAsync(IReadOnlyList<ActorRecord> records, CancellationToken cancellationToken)
    {
        ReadOnlyMemory<byte>[] bytes = [.. records.Select(static r => r.Encode())];
        long notAfter;
        lock (_lock)
        {
            notAfter = _log.NextSequence;
            _appends.Add(notAfter);
        }

        long? first = null;
        try
        {
            first = await _log.AppendBatchAsync(bytes, cancellationToken: cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            lock (_lock)
            {
                for (int i = 0; first is { } place && i < records.Count; i++)
                {
                    Add(records[i], place + i);
                }

                _ = _appends.Remove(notAfter);
            }
        }
    }

    /// <summary>Reads a record. Returns null if it was deleted and its segment was removed meanwhile.</summary>
    public ActorRecord? Read(long place) => _log.TryRead(place, out SluiceLogRecord record) ? ActorRecord.Decode(record.Bytes.Span) : null;

    /// <summary>Returns the result of a function of an actor's index, which is called under the lock.</summary>
    public T Find<T>(string persistenceId, Func<ActorIndex, T> find)
    {
        lock (_lock)
        {
            return find(_actors.GetValueOrDefault(persistenceId) ?? new ActorIndex());
        }
    }

    /// <summary>Removes the segments before the first record that is needed.</summary>
    public void RemoveDeleted()
    {
        long first;
        lock (_lock)
        {
            first = _actors.Values.Select(static a => a.FirstPlace).Concat(_appends).Min();
        }

        _ = _log.TruncateBefore(first);
    }

    private void Add(ActorRecord record, long place)
    {
        if (!_actors.TryGetValue(record.PersistenceId, out ActorIndex? actor))
        {
            _actors.Add(record.PersistenceId, actor = new ActorIndex());
        }

        actor.Add(record, place);
    }

    private sealed class Provider : ExtensionIdProvider<ActorLog>
    {
        public override ActorLog CreateExtension(ExtendedActorSystem system)
        {
            ActorLog log = new(system.Settings.Config.GetString("akka.persistence.sluice.directory"));
            system.RegisterOnTermination(log.Dispose);
            return log;
        }
    }
}
