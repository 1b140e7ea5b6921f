using System.Text;

namespace Sample.AkkaJournal;

/// <summary>The meaning of a record.</summary>
internal enum ActorRecordKind : byte
{
    /// <summary>An event, in serialized form.</summary>
    Event = 1,

    /// <summary>The events up to the sequence number are deleted.</summary>
    EventsDeleted = 2,

    /// <summary>A snapshot, in serialized form.</summary>
    Snapshot = 3,

    /// <summary>The snapshot with the sequence number is deleted.</summary>
    SnapshotDeleted = 4,
}

/// <summary>A record of the log.</summary>
/// <param name="Kind">The meaning of the record.</param>
/// <param name="PersistenceId">The actor.</param>
/// <param name="SequenceNr">The sequence number that Akka gave to the event or snapshot.</param>
/// <param name="Time">The time of a snapshot.</param>
/// <param name="Payload">The event or snapshot.</param>
internal sealed record ActorRecord(
    ActorRecordKind Kind, string PersistenceId, long SequenceNr, DateTime Time = default, byte[]? Payload = null)
{
    public static ActorRecord Decode(ReadOnlySpan<byte> bytes)
    {
        using BinaryReader reader = new(new MemoryStream(bytes.ToArray()));
        return new ActorRecord(
            (ActorRecordKind)reader.ReadByte(), reader.ReadString(), reader.ReadInt64(), new DateTime(reader.ReadInt64(), DateTimeKind.Utc),
            reader.ReadBytes(bytes.Length));
    }

    public ReadOnlyMemory<byte> Encode()
    {
        MemoryStream bytes = new();
        using (BinaryWriter writer = new(bytes, Encoding.UTF8))
        {
            writer.Write((byte)Kind);
            writer.Write(PersistenceId);
            writer.Write(SequenceNr);
            writer.Write(Time.Ticks);
            writer.Write(Payload ?? []);
        }

        return bytes.ToArray();
    }
}
