namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file in blocks with SluiceReader, which chooses their size and owns their memory.
/// A block stands until the next one is asked for.
/// </summary>
internal static class ReadBlockSluiceReader
{
    public static void Run(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path);
        while (reader.TryReadBlock(out ReadOnlySpan<byte> block))     // false at the end of the file
            seen.Add(block);                                // your code stands here
    }
}
