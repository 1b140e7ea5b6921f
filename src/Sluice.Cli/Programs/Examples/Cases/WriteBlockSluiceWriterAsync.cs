namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file in blocks of 64 KiB with SluiceWriter, not blocking the thread.
/// CompleteAsync writes what is left and closes; disposing would do the same.
/// </summary>
internal static class WriteBlockSluiceWriterAsync
{
    public static async Task RunAsync(string path, RecordSource records)
    {
        await using var writer = new SluiceWriter(path);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            await writer.WriteAsync(block.AsMemory(0, bytes));
        await writer.CompleteAsync();
    }
}
