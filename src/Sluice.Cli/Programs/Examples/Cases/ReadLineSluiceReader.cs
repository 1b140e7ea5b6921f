namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a text file line by line with SluiceReader, as bytes.
/// A line is a piece of the reader's own block: nothing is decoded, copied or allocated. It stands until the next line.
/// </summary>
internal static class ReadLineSluiceReader
{
    public static void Run(string path, Checksum seen)
    {
        using var reader = new SluiceReader(path);
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())     // without CR LF
            seen.AddLine(line);                                     // your code stands here
    }
}
