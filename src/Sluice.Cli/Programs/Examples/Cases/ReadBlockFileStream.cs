namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Reads a file in blocks of 64 KiB with FileStream.
/// bufferSize 0: the blocks are as large as a buffer would be, so one would only be a copy more.
/// </summary>
internal static class ReadBlockFileStream
{
    public static void Run(string path, Checksum seen)
    {
        using var file = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = file.Read(block)) > 0)      // may be less than a block; 0 at the end of the file
            seen.Add(block.AsSpan(0, bytes));       // your code stands here
    }
}
