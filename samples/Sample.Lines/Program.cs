// Lines: written as text; read as bytes without an allocation, as strings, and as they are written.

string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.log");
try
{
    using (SluiceWriter writer = new(path, new SluiceWriterOptions { NewLine = "\n" }))
    {
        for (int i = 0; i < 1000; i++)
        {
            // UTF-8 by default; a span of characters is written without a string.
            writer.Write(i % 50 == 0 ? "ERROR" : "INFO");
            writer.WriteLine($" event {i}");
        }
    }

    int errors = 0;
    using (SluiceReader reader = new(path))
    {
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
        {
            errors += line.StartsWith("ERROR"u8) ? 1 : 0;
        }

        reader.Seek(0);
        int strings = reader.ReadStringLines().Count(line => line.StartsWith("ERROR", StringComparison.Ordinal));
        Console.WriteLine($"{errors} errors as bytes, {strings} as strings");
    }

    // Follows the log, over rotation and truncation, until cancelled.
    Task writing = Task.Run(() => File.AppendAllText(path, "INFO one more\n"));
    SluiceFollowOptions fromStart = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(20) };
    await foreach (ReadOnlyMemory<byte> line in SluiceReader.FollowAsync(path, fromStart))
    {
        if (line.Span.EndsWith("one more"u8))
        {
            Console.WriteLine("followed to the line that was appended");
            break;
        }
    }

    await writing;
    return errors == 20 ? 0 : 1;
}
finally
{
    File.Delete(path);
}
