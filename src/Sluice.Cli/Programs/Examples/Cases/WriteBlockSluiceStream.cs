namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file in blocks of 64 KiB with SluiceStream: the code of FileStream, another name.
/// </summary>
internal static class WriteBlockSluiceStream
{
    public static void Run(string path, RecordSource records)
    {
        using var file = new SluiceStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 0);
        byte[] block = new byte[65536];
        int bytes;
        while ((bytes = records.Fill(block)) > 0)
            file.Write(block.AsSpan(0, bytes));
    }
}
