namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file byte by byte with SluiceStream: the code of FileStream, another name.
/// No buffer size is given: the buffer grows while the reading is sequential.
/// </summary>
internal static class ReadByteSluiceStream
{
    public static void Run(string path, Checksum seen)
    {
        using var file = new SluiceStream(path, FileMode.Open, FileAccess.Read);
        int value;
        while ((value = file.ReadByte()) >= 0)      // -1 at the end of the file
            seen.Add((byte)value);                  // your code stands here
    }
}
