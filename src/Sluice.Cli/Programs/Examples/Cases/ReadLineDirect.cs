namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a text file line by line past the page cache, with several requests in flight.
/// For large files that pass once: the page cache keeps what others need, and the processor has a copy less to make.
/// </summary>
internal static class ReadLineDirect
{
    public static void Run(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())     // without CR LF
            seen.AddLine(line);                                     // your code stands here
    }
}
