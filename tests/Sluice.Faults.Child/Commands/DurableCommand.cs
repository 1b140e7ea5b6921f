namespace Sluice.Faults.Child.Commands;

/// <summary>Writes records for ever, and says of each where it stands once it has been flushed to the disk.</summary>
internal static class DurableCommand
{
    public static async Task<int> RunAsync(string path, FileCaching caching, string way)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, caching: caching);
        await using Stream output = Console.OpenStandardOutput();
        await using StreamWriter acknowledgements = new(output) { AutoFlush = true };
        long end = 0;
        for (int i = 0; ; i++)
        {
            byte[] record = RecordFormat.Make(1, i);
            long offset = end;
            if (string.Equals(way, "append", StringComparison.Ordinal))
            {
                offset = await handle.AppendAndGetOffsetAsync(record);
            }
            else
            {
                await handle.WriteAsync(record, offset);
            }

            end = offset + record.Length;
            if (i % 4 == 0)
            {
                handle.FlushDataToDisk();
            }
            else if (i % 2 == 0)
            {
                handle.FlushToDisk();
            }
            else
            {
                await handle.FlushToDiskAsync();
            }

            await acknowledgements.WriteLineAsync($"{i} {offset}");
        }
    }
}
