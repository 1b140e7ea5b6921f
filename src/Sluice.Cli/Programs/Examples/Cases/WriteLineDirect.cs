namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a text file line by line past the page cache, with several requests in flight.
/// Lines gather in aligned blocks; the file has its exact length when it is completed.
/// </summary>
internal static class WriteLineDirect
{
    public static void Run(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path, new SluiceWriterOptions { Caching = FileCaching.Direct });
        while (records.TryNext(out ReadOnlySpan<byte> line))        // ends with CR LF
            writer.Write(line);
    }
}
