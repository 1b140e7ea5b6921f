namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a text file line by line with StreamWriter, which encodes each line (UTF-8 here).
/// Disposing writes what is left in its buffer.
/// </summary>
internal static class WriteLineStreamWriter
{
    public static void Run(string path, RecordSource records)
    {
        using var writer = new StreamWriter(path) { NewLine = "\r\n" };
        while (records.TryNextLine(out ReadOnlyMemory<char> line))
            writer.WriteLine(line.Span);
    }
}
