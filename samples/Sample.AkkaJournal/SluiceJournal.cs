using System.Collections.Concurrent;
using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence;
using Akka.Persistence.Journal;
using Akka.Serialization;

namespace Sample.AkkaJournal;

/// <summary>A journal of Akka.Persistence over the log of all actors.</summary>
internal sealed class SluiceJournal : AsyncWriteJournal
{
    private readonly ActorLog _log = ActorLog.Of(Context.System);
    private readonly ExtendedActorSystem _system = (ExtendedActorSystem)Context.System;
    private readonly Serializer _serializer = Context.System.Serialization.FindSerializerForType(typeof(IPersistentRepresentation));

    /// <summary>The writes that have not ended, by actor. An actor that restarts waits for its write.</summary>
    private readonly ConcurrentDictionary<string, Task> _writes = new();

    /// <summary>Writes events as a unit, and rejects those that cannot be serialized.</summary>
    protected override async Task<IImmutableList<Exception?>?> WriteMessagesAsync(
        IEnumerable<AtomicWrite> messages, CancellationToken cancellationToken)
    {
        List<ActorRecord> records = [];
        List<Exception?> rejections = [];
        foreach (AtomicWrite message in messages)
        {
            try
            {
                records.AddRange(((IEnumerable<IPersistentRepresentation>)message.Payload).Select(ToRecord).ToArray());
                rejections.Add(null);
            }
            catch (Exception e)
            {
                rejections.Add(e);
            }
        }

        if (records.Count > 0)
        {
            Task write = _log.AppendAsync(records, cancellationToken);
            string actor = records[0].PersistenceId;
            _writes[actor] = write;
            try
            {
                await write.ConfigureAwait(false);
            }
            finally
            {
                _ = _writes.TryRemove(KeyValuePair.Create(actor, write));
            }
        }

        return rejections.Exists(static r => r is not null) ? rejections.ToImmutableList() : null;
    }

    public override async Task<long> ReadHighestSequenceNrAsync(string persistenceId, long fromSequenceNr, CancellationToken cancellationToken)
    {
        if (_writes.TryGetValue(persistenceId, out Task? write))
        {
            await write.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }

        return _log.Find(persistenceId, static a => a.HighestSequenceNr);
    }

    public override Task ReplayMessagesAsync(
        IActorContext context, string persistenceId, long fromSequenceNr, long toSequenceNr, long max,
        Action<IPersistentRepresentation> recoveryCallback) => Task.Run(() =>
        {
            foreach (long place in _log.Find(persistenceId, a => a.Events(fromSequenceNr, toSequenceNr, max)))
            {
                if (_log.Read(place) is { } record)
                {
                    recoveryCallback(_serializer.FromBinary<Persistent>(record.Payload));
                }
            }
        });

    protected override async Task DeleteMessagesToAsync(string persistenceId, long toSequenceNr, CancellationToken cancellationToken)
    {
        // An event whose write has not ended is not deleted, also if it comes before the deletion in the log.
        long to = Math.Min(toSequenceNr, _log.Find(persistenceId, static a => a.HighestSequenceNr));
        if (to > 0)
        {
            await _log.AppendAsync([new ActorRecord(ActorRecordKind.EventsDeleted, persistenceId, to)], cancellationToken).ConfigureAwait(false);
            _log.RemoveDeleted();
        }
    }

    private ActorRecord ToRecord(IPersistentRepresentation message) => new(
        ActorRecordKind.Event, message.PersistenceId, message.SequenceNr,
        Payload: Akka.Serialization.Serialization.WithTransport(_system, () => _serializer.ToBinary(message)));
}
