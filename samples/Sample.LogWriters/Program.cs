// Two writers that other libraries know, each into one log: a TextWriter, whose lines are records, and a PipeWriter, each flush of which
// is one.
using System.IO.Pipelines;
using System.Text;
using System.Text.Json;

string directory = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}-log");
try
{
    using (SluiceLog log = SluiceLog.Open(directory, new SluiceLogOptions { Durability = LogDurability.Written, Preallocate = false }))
    {
        // Whatever writes to a TextWriter writes to the log; here what a program says on its console.
        TextWriter console = Console.Out;
        using (TextWriter text = log.CreateTextWriter())
        {
            Console.SetOut(text);
            Console.WriteLine("first line");
            Console.Write("second ");
            Console.WriteLine("line");
            Console.SetOut(console);
        }

        // Whatever writes to an IBufferWriter<byte> or a pipe: what was written up to a flush is one record, and the flush waits for it.
        PipeWriter pipe = log.CreatePipeWriter(LogDurability.Durable);
        for (int i = 1; i <= 3; i++)
        {
            using (Utf8JsonWriter json = new(pipe))
            {
                json.WriteStartObject();
                json.WriteNumber("order", i);
                json.WriteEndObject();
            }

            _ = await pipe.FlushAsync();
        }

        await pipe.CompleteAsync();
    }

    List<string> records = [];
    using (SluiceLogReader reader = new(directory))
    {
        foreach (LogEntry entry in reader.Entries)
        {
            records.Add(Encoding.UTF8.GetString(entry.Bytes));
        }
    }

    records.ForEach(Console.WriteLine);
    if (!records.SequenceEqual(["first line", "second line", """{"order":1}""", """{"order":2}""", """{"order":3}"""]))
    {
        throw new InvalidDataException("the log has other records");
    }
}
finally
{
    Directory.Delete(directory, recursive: true);
}
