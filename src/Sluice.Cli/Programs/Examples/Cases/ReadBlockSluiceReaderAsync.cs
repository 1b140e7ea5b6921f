namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file in blocks with SluiceReader, not blocking the thread.
/// A block stands until the next one is asked for.
/// </summary>
internal static class ReadBlockSluiceReaderAsync
{
    public static async Task RunAsync(string path, Checksum seen)
    {
        await using var reader = new SluiceReader(path);
        ReadOnlyMemory<byte> block;
        while (!(block = await reader.ReadBlockAsync()).IsEmpty)        // empty at the end of the file
            seen.Add(block.Span);                                       // your code stands here
    }
}
