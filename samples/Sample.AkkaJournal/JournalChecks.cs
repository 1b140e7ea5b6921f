using System.Collections.Immutable;
using Akka.Actor;
using Akka.Persistence;

namespace Sample.AkkaJournal;

/// <summary>Checks the requirements of Akka.Persistence for a journal and a snapshot store, with its messages.</summary>
internal static class JournalChecks
{
    private const string Actor = "checked";

    public static Task WriteAsync(ActorSystem system)
    {
        using Probe probe = new(system) { Highest = 5 };
        Type success = typeof(WriteMessageSuccess);
        Type rejected = typeof(WriteMessageRejected);
        probe.Write([Atomic(Event(1)), Atomic(Event(2)), Atomic(Event(3))], success, success, success);
        probe.Write([Atomic(Event(4), Event(5))], success, success);
        probe.ExpectEvents(1, long.MaxValue, long.MaxValue, 1, 2, 3, 4, 5);
        probe.ExpectEvents(3, long.MaxValue, long.MaxValue, 3, 4, 5);
        probe.ExpectEvents(1, 3, long.MaxValue, 1, 2, 3);
        probe.ExpectEvents(1, long.MaxValue, 3, 1, 2, 3);
        probe.ExpectEvents(2, 5, 2, 2, 3);
        probe.ExpectEvents(2, 2, long.MaxValue, 2);
        probe.ExpectEvents(2, 4, 0);
        probe.ExpectEvents(3, 2, long.MaxValue);

        // An event that cannot be serialized is rejected with the others of its atomic write; other writes are stored.
        probe.Highest = 9;
        probe.Write(
            [Atomic(Event(6)), Atomic(Event(7), Persistent(8, new Unserializable())), Atomic(Event(9))],
            success, rejected, rejected, success);
        probe.ExpectEvents(5, long.MaxValue, long.MaxValue, 5, 6, 9);

        probe.Delete(3);
        probe.ExpectEvents(1, long.MaxValue, long.MaxValue, 4, 5, 6, 9);
        foreach (int number in (int[])[4, 6, 9])
        {
            probe.Save(number);
        }

        probe.ExpectSnapshot(new SnapshotSelectionCriteria(long.MaxValue), 9);
        probe.ExpectSnapshot(new SnapshotSelectionCriteria(8), 6);
        probe.ExpectSnapshot(new SnapshotSelectionCriteria(3), null);
        probe.Delete<DeleteSnapshotSuccess>(new DeleteSnapshot(new SnapshotMetadata(Actor, 6, DateTime.MinValue)));
        probe.ExpectSnapshot(new SnapshotSelectionCriteria(8), 4);
        return Task.CompletedTask;
    }

    /// <summary>Checks in a second system that written events and snapshots exist and that deleted ones do not.</summary>
    public static Task RecoverAsync(ActorSystem system)
    {
        using Probe probe = new(system) { Highest = 9 };
        probe.ExpectEvents(1, long.MaxValue, long.MaxValue, 4, 5, 6, 9);
        probe.ExpectSnapshot(new SnapshotSelectionCriteria(8), 4);
        probe.Delete<DeleteSnapshotsSuccess>(new DeleteSnapshots(Actor, SnapshotSelectionCriteria.Latest));
        probe.ExpectSnapshot(SnapshotSelectionCriteria.Latest, null);

        // The highest sequence number is kept after all events are deleted.
        probe.Delete(long.MaxValue);
        probe.ExpectEvents(1, long.MaxValue, long.MaxValue);
        return Task.CompletedTask;
    }

    private static Persistent Event(long number) => Persistent(number, $"event {number}");

    private static Persistent Persistent(long number, object payload) => new(payload, number, Actor, writerGuid: "writer");

    private static AtomicWrite Atomic(params Persistent[] events) => new(events.ToImmutableList<IPersistentRepresentation>());

    private sealed class Unserializable
    {
        public string Value => throw new NotSupportedException();
    }

    /// <summary>Sends messages to the journal and the snapshot store in place of an actor, and checks the answers.</summary>
    private sealed class Probe(ActorSystem system) : IDisposable
    {
        private readonly IActorRef _journal = Persistence.Instance.Apply(system).JournalFor(null);
        private readonly IActorRef _snapshots = Persistence.Instance.Apply(system).SnapshotStoreFor(null);
        private readonly Inbox _inbox = Inbox.Create(system);

        /// <summary>Gets or sets the highest sequence number of the events that were written.</summary>
        public long Highest { get; set; }

        /// <summary>Writes events, and expects an answer of the specified type for each.</summary>
        public void Write(AtomicWrite[] writes, params Type[] answers)
        {
            _journal.Tell(new WriteMessages(writes, _inbox.Receiver, 1));
            _ = Expect<WriteMessagesSuccessful>();
            foreach (Type answer in answers)
            {
                Expect(answer, _inbox.Receive().GetType());
            }
        }

        public void Delete(long to)
        {
            _journal.Tell(new DeleteMessagesTo(Actor, to, _inbox.Receiver));
            _ = Expect<DeleteMessagesSuccess>();
        }

        public void ExpectEvents(long from, long to, long count, params long[] numbers)
        {
            _journal.Tell(new ReplayMessages(from, to, count, Actor, _inbox.Receiver));
            foreach (long number in numbers)
            {
                IPersistentRepresentation found = Expect<ReplayedMessage>().Persistent;
                Expect((Actor, number, $"event {number}"), (found.PersistenceId, found.SequenceNr, (string)found.Payload));
            }

            Expect(Highest, Expect<RecoverySuccess>().HighestSequenceNr);
        }

        public void Save(long number)
        {
            _inbox.Send(_snapshots, new SaveSnapshot(new SnapshotMetadata(Actor, number, DateTime.UtcNow), $"snapshot {number}"));
            _ = Expect<SaveSnapshotSuccess>();
        }

        public void Delete<TAnswer>(ISnapshotRequest request)
        {
            _inbox.Send(_snapshots, request);
            _ = Expect<TAnswer>();
        }

        public void ExpectSnapshot(SnapshotSelectionCriteria criteria, long? number)
        {
            _inbox.Send(_snapshots, new LoadSnapshot(Actor, criteria, long.MaxValue));
            SelectedSnapshot? found = Expect<LoadSnapshotResult>().Snapshot;
            Expect((number, number is null ? null : $"snapshot {number}"), (found?.Metadata.SequenceNr, (string?)found?.Snapshot));
        }

        public void Dispose() => _inbox.Dispose();

        private static void Expect<T>(T expected, T found)
        {
            if (!Equals(expected, found))
            {
                throw new InvalidDataException($"expected {expected}, found {found}");
            }
        }

        private T Expect<T>() => _inbox.Receive() is T message ? message : throw new InvalidDataException($"expected {typeof(T)}");
    }
}
