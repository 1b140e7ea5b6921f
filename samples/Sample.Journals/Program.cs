// Many journals share one log, and with it its writes and syncs. Each record begins with the key of its journal.
using System.Buffers;
using System.Buffers.Binary;

string previous = Environment.CurrentDirectory;
string directory = Directory.CreateTempSubdirectory("sample-journals-").FullName;
Environment.CurrentDirectory = directory;
try
{
    using (SluiceLog log = SluiceLog.Open("journals"))
    {
        await Parallel.ForAsync(0, 100, async (key, cancellationToken) =>
        {
            for (int i = 0; i < 10; i++)
            {
                await log.AppendAsync(Piece.Join(key, System.Text.Encoding.UTF8.GetBytes($"event {i}")), cancellationToken);
            }
        });
        log.Flush();
    }

    using SluiceLog journals = SluiceLog.Open("journals", new SluiceLogOptions { Durability = LogDurability.Durable });
    Dictionary<int, List<long>> numbers = [];
    using (SluiceLogReader all = journals.OpenReader())
    {
        foreach (LogEntry entry in all.Entries)
        {
            int key = BinaryPrimitives.ReadInt32LittleEndian(entry.Bytes);
            (numbers.TryGetValue(key, out List<long>? known) ? known : numbers[key] = []).Add(entry.Sequence);
        }
    }

    List<string> events = [];
    foreach (long number in numbers[17])
    {
        if (journals.TryRead(number, out SluiceLogRecord record))
        {
            events.Add(System.Text.Encoding.UTF8.GetString(record.Bytes.Span[4..]));
        }
    }

    long oldest = numbers.Values.Min(static n => n[0]);
    journals.TruncateBefore(oldest);
    Console.WriteLine($"{numbers.Count} journals; number 17 has {events.Count} events, the last one is '{events[^1]}'");
    if (numbers.Count != 100 || events.Count != 10 || events[^1] != "event 9")
    {
        throw new InvalidDataException("the journals are not as they were");
    }
}
finally
{
    Environment.CurrentDirectory = previous;
    Directory.Delete(directory, recursive: true);
}

/// <summary>One of the pieces of memory that a record consists of.</summary>
internal sealed class Piece : ReadOnlySequenceSegment<byte>
{
    public static ReadOnlySequence<byte> Join(int key, ReadOnlyMemory<byte> content)
    {
        byte[] keyBytes = new byte[4];
        BinaryPrimitives.WriteInt32LittleEndian(keyBytes, key);
        Piece last = new() { Memory = content, RunningIndex = keyBytes.Length };
        return new ReadOnlySequence<byte>(new Piece { Memory = keyBytes, Next = last }, 0, last, content.Length);
    }
}
