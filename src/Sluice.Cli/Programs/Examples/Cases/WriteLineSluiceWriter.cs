namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a text file line by line with SluiceWriter, which takes bytes: whoever has them need not encode.
/// Disposing completes the file, and throws what goes wrong.
/// </summary>
internal static class WriteLineSluiceWriter
{
    public static void Run(string path, RecordSource records)
    {
        using var writer = new SluiceWriter(path);
        while (records.TryNext(out ReadOnlySpan<byte> line))        // ends with CR LF
            writer.Write(line);
    }
}
