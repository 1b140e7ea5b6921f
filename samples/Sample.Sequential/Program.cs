// One file from front to back: written as bytes, as text and as records, read by block, by line and by record.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.txt");
string recordsPath = path + ".records";
string textPath = path + ".text";
try
{
    using (SluiceWriter writer = new(path))
    {
        for (int i = 0; i < 100_000; i++)
        {
            writer.Write("INFO an event\n"u8);   // collected in a block; the block is written when it is full
        }

        writer.Write("ERROR the last event\n"u8);
        writer.Complete();                       // writes the rest and sets the exact length, or throws
    }

    long bytes = 0;
    using (SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct }))
    {
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))   // false at the end of the file
        {
            bytes += block.Length;                                  // the block is valid until the next call
        }
    }

    int errors = 0;
    using (SluiceReader reader = new(path))
    {
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())   // without the line end; allocates nothing
        {
            errors += line.StartsWith("ERROR"u8) ? 1 : 0;
        }

        reader.Seek(0);
        errors += reader.ReadStringLines().Count(line => line.StartsWith("ERROR", StringComparison.Ordinal));
    }

    await using (SluiceReader reader = new(path))
    {
        await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
        {
            errors += line.Span.StartsWith("ERROR"u8) ? 1 : 0;
        }
    }

    using (SluiceWriter writer = new(textPath, new SluiceWriterOptions { NewLine = "\n" }))   // UTF-8 unless Encoding says otherwise
    {
        for (int i = 0; i < 100_000; i++)
        {
            writer.Write("event ");
            writer.WriteLine("happened");
        }
    }

    using (SluiceWriter writer = new(recordsPath))
    {
        for (int i = 0; i < 100_000; i++)
        {
            writer.WriteRecord(new Measurement(i, i * 0.5));
        }
    }

    double sum = 0;
    using (SluiceReader reader = new(recordsPath))
    {
        foreach (ReadOnlySpan<Measurement> batch in reader.EnumerateRecordBatches<Measurement>())
        {
            foreach (ref readonly Measurement measurement in batch)
            {
                sum += measurement.Value;
            }
        }
    }

    Console.WriteLine($"{bytes} bytes, {errors} errors in three passes, a sum of {sum}");
    return File.ReadLines(textPath).Count(line => line == "event happened") == 100_000
        && bytes == new FileInfo(path).Length && errors == 3 && sum == 2_499_975_000 ? 0 : 1;
}
finally
{
    File.Delete(path);
    File.Delete(recordsPath);
    File.Delete(textPath);
}

internal readonly record struct Measurement(long Id, double Value);
