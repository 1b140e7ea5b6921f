namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file byte by byte with FileStream.
/// WriteByte puts each byte into the stream's buffer; the system is called once for 64 KiB. Disposing writes the rest.
/// </summary>
internal static class WriteByteFileStream
{
    public static void Run(string path, RecordSource records)
    {
        using var file = new FileStream(path, FileMode.Create, FileAccess.Write, FileShare.None, bufferSize: 65536);
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            foreach (byte value in record)
                file.WriteByte(value);
        }
    }
}
