namespace Sluice.Cli.Programs.Examples.Cases;

/// <summary>
/// Writes a file byte by byte past the page cache.
/// Direct I/O wants whole blocks at aligned addresses; SluiceStream gathers them, and writes the odd end as it is.
/// </summary>
internal static class WriteByteDirect
{
    public static void Run(string path, RecordSource records)
    {
        using var file = new SluiceStream(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.Write,
            Caching = FileCaching.Direct,
        });
        while (records.TryNext(out ReadOnlySpan<byte> record))
        {
            foreach (byte value in record)
                file.WriteByte(value);
        }
    }
}
