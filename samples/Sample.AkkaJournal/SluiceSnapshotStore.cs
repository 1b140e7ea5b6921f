using Akka.Actor;
using Akka.Persistence;
using Akka.Persistence.Serialization;
using Akka.Persistence.Snapshot;
using Akka.Serialization;

namespace Sample.AkkaJournal;

/// <summary>A snapshot store of Akka.Persistence over the log of all actors.</summary>
internal sealed class SluiceSnapshotStore : SnapshotStore
{
    private readonly ActorLog _log = ActorLog.Of(Context.System);
    private readonly ExtendedActorSystem _system = (ExtendedActorSystem)Context.System;
    private readonly Serializer _serializer = Context.System.Serialization.FindSerializerForType(typeof(Snapshot));

    protected override Task<SelectedSnapshot?> LoadAsync(
        string persistenceId, SnapshotSelectionCriteria criteria, CancellationToken cancellationToken) => Task.Run(() =>
    {
        foreach ((long number, DateTime time, long place) in Find(persistenceId, criteria))
        {
            if (_log.Read(place) is { } record)
            {
                object snapshot = _serializer.FromBinary<Snapshot>(record.Payload).Data;
                return new SelectedSnapshot(new SnapshotMetadata(persistenceId, number, time), snapshot);
            }
        }

        return null;
    }, cancellationToken);

    protected override Task SaveAsync(SnapshotMetadata metadata, object snapshot, CancellationToken cancellationToken)
    {
        byte[] bytes = Akka.Serialization.Serialization.WithTransport(_system, () => _serializer.ToBinary(new Snapshot(snapshot)));
        ActorRecord record = new(ActorRecordKind.Snapshot, metadata.PersistenceId, metadata.SequenceNr, metadata.Timestamp, bytes);
        return _log.AppendAsync([record], cancellationToken);
    }

    protected override Task DeleteAsync(SnapshotMetadata metadata, CancellationToken cancellationToken)
    {
        SnapshotSelectionCriteria one = new(metadata.SequenceNr, DateTime.MaxValue, metadata.SequenceNr);
        return DeleteAsync(metadata.PersistenceId, one, cancellationToken);
    }

    protected override async Task DeleteAsync(
        string persistenceId, SnapshotSelectionCriteria criteria, CancellationToken cancellationToken)
    {
        ActorRecord[] deletions =
            [.. Find(persistenceId, criteria).Select(s => new ActorRecord(ActorRecordKind.SnapshotDeleted, persistenceId, s.SequenceNr))];
        if (deletions.Length > 0)
        {
            await _log.AppendAsync(deletions, cancellationToken).ConfigureAwait(false);
            _log.RemoveDeleted();
        }
    }

    private (long SequenceNr, DateTime Time, long Place)[] Find(string persistenceId, SnapshotSelectionCriteria criteria) =>
        _log.Find(persistenceId, a => a.Snapshots((number, time) =>
            number >= criteria.MinSequenceNr && number <= criteria.MaxSequenceNr
            && time >= (criteria.MinTimestamp ?? DateTime.MinValue) && time <= criteria.MaxTimeStamp));
}
