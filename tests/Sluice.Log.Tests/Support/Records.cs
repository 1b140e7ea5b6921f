using System.Buffers.Binary;

namespace Sluice.Log.Tests.Support;

/// <summary>Records that tell who wrote them and prove that they are whole.</summary>
internal static class Records
{
    /// <summary>Writer, number, and bytes that follow from both; 12 bytes at least.</summary>
    public static byte[] Make(int writer, int number, int length)
    {
        byte[] record = new byte[Math.Max(length, 12)];
        Fill(record, writer, number);
        return record;
    }

    public static void Fill(Span<byte> record, int writer, int number)
    {
        BinaryPrimitives.WriteInt32LittleEndian(record, writer);
        BinaryPrimitives.WriteInt32LittleEndian(record[4..], number);
        BinaryPrimitives.WriteInt32LittleEndian(record[8..], record.Length);
        uint seed = (uint)((writer * 7919) + number);
        for (int i = 12; i < record.Length; i++)
        {
            seed = (seed * 1664525) + 1013904223;
            record[i] = (byte)(seed >> 24);
        }
    }

    /// <summary>Writer and number of a record, whose every byte is looked at.</summary>
    public static (int Writer, int Number) Check(ReadOnlySpan<byte> record)
    {
        record.Length.ShouldBeGreaterThanOrEqualTo(12);
        int writer = BinaryPrimitives.ReadInt32LittleEndian(record);
        int number = BinaryPrimitives.ReadInt32LittleEndian(record[4..]);
        record.SequenceEqual(Make(writer, number, record.Length)).ShouldBeTrue($"record {number} of writer {writer} is torn");
        return (writer, number);
    }

    /// <summary>Appends records with the numbers from <paramref name="first"/> on, with the log's durability unless another is given.</summary>
    public static void AppendMany(
        this SluiceLog log, int first, int count, int bytes = 100, LogDurability? durability = null, int writer = 0)
    {
        for (int i = first; i < first + count; i++)
        {
            log.Append(Make(writer, i, bytes), durability ?? log.DefaultDurability);
        }
    }

    /// <summary>Sequence numbers that follow one another.</summary>
    public static IEnumerable<long> Range(int first, int count) => Enumerable.Range(first, count).Select(static n => (long)n);

    /// <summary>The next record, which has to be there.</summary>
    public static SluiceLogRecord Next(this SluiceLogReader reader)
    {
        reader.TryRead(out LogEntry entry).ShouldBeTrue($"there is no record {reader.NextSequence}");
        return entry.ToRecord();
    }

    /// <summary>Reads up to a record; no sequence number is left out.</summary>
    public static void ReadTo(this SluiceLogReader reader, long last)
    {
        while (reader.NextSequence <= last)
        {
            long next = reader.NextSequence;
            reader.Next().Sequence.ShouldBe(next);
        }
    }

    /// <summary>Reads to the end of the log, and returns the sequence numbers of the records.</summary>
    public static List<long> ReadToEnd(this SluiceLogReader reader)
    {
        List<long> sequences = [];
        while (reader.TryRead(out LogEntry entry))
        {
            sequences.Add(entry.Sequence);
        }

        return sequences;
    }

    /// <summary>The sequence numbers of all records.</summary>
    public static List<long> Sequences(string directory, SluiceLogReaderOptions? options = null) =>
        ReadAll(directory, options).ConvertAll(static r => r.Sequence);

    /// <summary>The numbers of all records, whose every byte is checked.</summary>
    public static List<int> Numbers(string directory, SluiceLogReaderOptions? options = null) =>
        ReadAll(directory, options).ConvertAll(static r => Check(r.Bytes).Number);

    /// <summary>The log has so many records, with the sequences from 1 on and the numbers from 0 on.</summary>
    public static void ShouldHave(string directory, long count, string? what = null)
    {
        List<(long Sequence, byte[] Bytes)> records = ReadAll(directory);
        records.Count.ShouldBe((int)count, what);
        ShouldBeInOrder(records, 1, 0);
    }

    /// <summary>All records of a log, with their sequences.</summary>
    public static List<(long Sequence, byte[] Bytes)> ReadAll(string directory, SluiceLogReaderOptions? options = null)
    {
        using SluiceLogReader reader = new(directory, options);
        List<(long, byte[])> records = [];
        foreach (LogEntry entry in reader.Entries)
        {
            records.Add((entry.Sequence, entry.Bytes.ToArray()));
        }

        return records;
    }

    /// <summary>All records that are in the files, whatever is known of the disk.</summary>
    public static List<(long Sequence, byte[] Bytes)> ReadWritten(string directory) =>
        ReadAll(directory, new SluiceLogReaderOptions { UpTo = LogDurability.Written });

    /// <summary>The records have the numbers of one writer from one on, and sequences without a gap.</summary>
    public static void ShouldBeInOrder(List<(long Sequence, byte[] Bytes)> records, long firstSequence, int firstNumber)
    {
        for (int i = 0; i < records.Count; i++)
        {
            records[i].Sequence.ShouldBe(firstSequence + i);
            Check(records[i].Bytes).Number.ShouldBe(firstNumber + i);
        }
    }
}
