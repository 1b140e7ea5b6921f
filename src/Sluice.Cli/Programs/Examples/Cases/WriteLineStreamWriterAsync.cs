namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a text file line by line with StreamWriter, not blocking the thread.
/// Without FileOptions.Asynchronous the writing would be done by a thread of the pool, blocked in our place.
/// </summary>
internal static class WriteLineStreamWriterAsync
{
    public static async Task RunAsync(string path, RecordSource records)
    {
        await using var writer = new StreamWriter(path, new FileStreamOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Options = FileOptions.Asynchronous,
        });
        writer.NewLine = "\r\n";
        while (records.TryNextLine(out ReadOnlyMemory<char> line))
            await writer.WriteLineAsync(line);
    }
}
