namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a text file line by line with StreamReader, not blocking the thread.
/// Without FileOptions.Asynchronous the reading would be done by a thread of the pool, blocked in our place.
/// </summary>
internal static class ReadLineStreamReaderAsync
{
    public static async Task RunAsync(string path, Checksum seen)
    {
        using var reader = new StreamReader(
            path, new FileStreamOptions { Options = FileOptions.Asynchronous | FileOptions.SequentialScan });
        string? line;
        while ((line = await reader.ReadLineAsync()) is not null)       // null at the end of the file
            seen.AddLine(line);                                         // your code stands here
    }
}
