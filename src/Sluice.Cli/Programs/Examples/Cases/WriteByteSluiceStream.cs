namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file byte by byte with SluiceStream: the code of FileStream, another name.
/// No buffer size is given: the buffer grows while the writing is sequential. Disposing writes the rest.
/// </summary>
internal static class WriteByteSluiceStream
{
    public static void Run(string path, RecordSource records)
    {
        using var file = new SluiceStream(path, FileMode.Create, FileAccess.Write);
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            foreach (byte value in record)
                file.WriteByte(value);
        }
    }
}
