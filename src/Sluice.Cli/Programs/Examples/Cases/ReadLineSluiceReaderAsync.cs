namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a text file line by line with SluiceReader, as bytes, not blocking the thread.
/// Nothing is awaited while there are lines in the block, so a line costs no more than in the synchronous loop.
/// </summary>
internal static class ReadLineSluiceReaderAsync
{
    public static async Task RunAsync(string path, Checksum seen)
    {
        await using var reader = new SluiceReader(path);
        await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())    // without CR LF
            seen.AddLine(line.Span);                                            // your code stands here
    }
}
