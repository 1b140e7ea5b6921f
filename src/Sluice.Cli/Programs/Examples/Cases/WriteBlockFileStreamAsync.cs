namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file in blocks of 64 KiB with FileStream, not blocking the thread.
/// useAsync says what the file is opened for; without it, WriteAsync blocks a thread of the pool in our place.
/// </summary>
internal static class WriteBlockFileStreamAsync
{
    public static async Task RunAsync(string path, RecordSource records)
    {
        await using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0, useAsync: true);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            await file.WriteAsync(block.AsMemory(0, bytes));
    }
}
