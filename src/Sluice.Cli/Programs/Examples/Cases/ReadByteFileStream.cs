namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file byte by byte with FileStream.
/// ReadByte takes each byte from the stream's buffer; the system is called once for 64 KiB, not once for a byte.
/// </summary>
internal static class ReadByteFileStream
{
    public static void Run(string path, Checksum seen)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 65536);
        int value;
        while ((value = file.ReadByte()) >= 0)      // -1 at the end of the file
            seen.Add((byte)value);                  // your code stands here
    }
}
