namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file in blocks past the page cache: the device writes into the block that TryReadBlock returns.
/// How large requests are and how many are in flight finds itself; RequestSize and Depth set it.
/// </summary>
internal static class ReadBlockDirect
{
    public static void Run(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))     // false at the end of the file
            seen.Add(block);                                // your code stands here
    }
}
