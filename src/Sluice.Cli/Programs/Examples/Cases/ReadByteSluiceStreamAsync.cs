namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file byte by byte with SluiceStream, never blocking the thread. FileStream has no such method.
/// A byte that is in the buffer comes at once; only when the buffer is empty is there something to await.
/// </summary>
internal static class ReadByteSluiceStreamAsync
{
    public static async Task RunAsync(string path, Checksum seen)
    {
        await using var file = new SluiceStream(path, FileMode.Open, FileAccess.Read);
        int value;
        while ((value = await file.ReadByteAsync()) >= 0)       // -1 at the end of the file
            seen.Add((byte)value);                              // your code stands here
    }
}
