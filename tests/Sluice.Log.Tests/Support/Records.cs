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
