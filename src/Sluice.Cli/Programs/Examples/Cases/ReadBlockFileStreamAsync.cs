namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file in blocks of 64 KiB with FileStream, not blocking the thread.
/// useAsync says what the file is opened for; without it, ReadAsync blocks a thread of the pool in our place.
/// </summary>
internal static class ReadBlockFileStreamAsync
{
    public static async Task RunAsync(string path, Checksum seen)
    {
        await using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0, useAsync: true);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = await file.ReadAsync(block)) > 0)       // may be less than a block; 0 at the end of the file
            seen.Add(block.AsSpan(0, bytes));                   // your code stands here
    }
}
