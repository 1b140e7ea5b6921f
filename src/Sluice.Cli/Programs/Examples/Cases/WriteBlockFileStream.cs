namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file in blocks of 64 KiB with FileStream.
/// bufferSize 0: the blocks are as large as a buffer would be, so one would only be a copy more.
/// </summary>
internal static class WriteBlockFileStream
{
    public static void Run(string path, RecordSource records)
    {
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            file.Write(block.AsSpan(0, bytes));
    }
}
