using System.Text;

// A large file, written and read at the speed of the disk: direct, with as many requests in flight as this device can use.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.dat");
try
{
    long sum = 0;
    using (SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, FlushToDisk = true }))
    {
        writer.WriteLine("a line before the records");
        for (int i = 0; i < 1_000_000; i++)
        {
            writer.WriteRecord(new Measurement(i, i * 0.5));
            sum += i;
        }

        // Flushed, cut to its length, durable; Dispose would do the same, and throw what goes wrong.
        writer.Complete();
    }

    long read = 0;
    using (SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct }))
    {
        if (reader.TryReadLine(out ReadOnlySpan<byte> line))
        {
            Console.WriteLine(Encoding.UTF8.GetString(line));
        }

        foreach (ReadOnlySpan<Measurement> measurements in reader.EnumerateRecordBatches<Measurement>())
        {
            foreach (ref readonly Measurement measurement in measurements)
            {
                read += measurement.Id;
            }
        }

        Console.WriteLine($"caching {reader.SluiceHandle.Caching}");
    }

    Console.WriteLine(read == sum ? "every record came back" : "DIFFERENT");
    return read == sum ? 0 : 1;
}
finally
{
    File.Delete(path);
}

internal readonly record struct Measurement(long Id, double Value);
