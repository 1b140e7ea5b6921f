namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file in blocks of 64 KiB with SluiceStream: the code of FileStream, another name.
/// </summary>
internal static class ReadBlockSluiceStream
{
    public static void Run(string path, Checksum seen)
    {
        using var file = new SluiceStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = file.Read(block)) > 0)      // may be less than a block; 0 at the end of the file
            seen.Add(block.AsSpan(0, bytes));       // your code stands here
    }
}
