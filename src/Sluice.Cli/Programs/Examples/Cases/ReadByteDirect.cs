namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file byte by byte past the page cache.
/// Direct I/O wants whole blocks at aligned addresses; SluiceStream reads those, ahead of the caller, and hands out bytes.
/// </summary>
internal static class ReadByteDirect
{
    public static void Run(string path, Checksum seen)
    {
        using var file = new SluiceStream(path, new SluiceOptions { Caching = FileCaching.Direct });
        int value;
        while ((value = file.ReadByte()) >= 0)      // -1 at the end of the file
            seen.Add((byte)value);                  // your code stands here
    }
}
