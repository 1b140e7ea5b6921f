namespace Sample.AkkaJournal;

/// <summary>
/// The places of the events and snapshots of one actor in the log. A place is the sequence number of a record of the log.
/// </summary>
internal sealed class ActorIndex
{
    private readonly List<(long SequenceNr, long Place)> _events = [];
    private readonly SortedList<long, (DateTime Time, long Place)> _snapshots = [];

    /// <summary>The place of the last deletion of events.</summary>
    private long _deletion;

    public long HighestSequenceNr { get; private set; }

    /// <summary>
    /// The place of the first record that is needed. If all events are deleted, this is the record of the last deletion, which has the
    /// highest sequence number.
    /// </summary>
    public long FirstPlace => Math.Min(
        _events.Count > 0 ? _events[0].Place : _deletion > 0 ? _deletion : long.MaxValue,
        _snapshots.Values.Select(static s => s.Place).DefaultIfEmpty(long.MaxValue).Min());

    public void Add(ActorRecord record, long place)
    {
        switch (record.Kind)
        {
            case ActorRecordKind.Event:
                _events.Add((record.SequenceNr, place));
                HighestSequenceNr = Math.Max(HighestSequenceNr, record.SequenceNr);
                break;
            case ActorRecordKind.EventsDeleted:
                _ = _events.RemoveAll(e => e.SequenceNr <= record.SequenceNr);
                HighestSequenceNr = Math.Max(HighestSequenceNr, record.SequenceNr);
                _deletion = place;
                break;
            case ActorRecordKind.Snapshot:
                _snapshots[record.SequenceNr] = (record.Time, place);
                break;
            case ActorRecordKind.SnapshotDeleted:
                _ = _snapshots.Remove(record.SequenceNr);
                break;
            default:
                throw new InvalidDataException($"A record of kind {record.Kind} is from another version of this program.");
        }
    }

    /// <summary>Returns the places of events, in the order of their numbers.</summary>
    public long[] Events(long from, long to, long count) =>
        [.. _events.Where(e => e.SequenceNr >= from && e.SequenceNr <= to).Select(static e => e.Place).Take((int)Math.Min(count, int.MaxValue))];

    /// <summary>Returns the snapshots within bounds, the newest first.</summary>
    public (long SequenceNr, DateTime Time, long Place)[] Snapshots(Func<long, DateTime, bool> isWanted) =>
        [.. _snapshots.Reverse().Where(s => isWanted(s.Key, s.Value.Time)).Select(static s => (s.Key, s.Value.Time, s.Value.Place))];
}
