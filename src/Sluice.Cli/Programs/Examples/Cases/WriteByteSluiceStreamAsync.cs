namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file byte by byte with SluiceStream, never blocking the thread. FileStream has no such method.
/// While the buffer has room there is nothing to await; await using writes the rest.
/// </summary>
internal static class WriteByteSluiceStreamAsync
{
    public static async Task RunAsync(string path, RecordSource records)
    {
        await using var file = new SluiceStream(path, FileMode.Create, FileAccess.Write);
        byte[] record = new byte[RecordSource.RecordBytes];
        while (records.Fill(record) > 0)
        {
            foreach (byte value in record)
                await file.WriteByteAsync(value);
        }
    }
}
