namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file in blocks past the page cache, its space reserved before the first write.
/// Requests are in flight while the next block is filled. FlushToDisk would also make the file durable at its end.
/// </summary>
internal static class WriteBlockDirect
{
    public static void Run(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path, new SluiceWriterOptions
        {
            Caching = FileCaching.Direct,
            PreallocationSize = records.Count * RecordSource.RecordBytes,       // if the size is known: one piece of disk
        });
        int bytes;
        while ((bytes = records.Fill(writer.GetSpan(65536))) > 0)
            writer.Advance(bytes);
    }
}
