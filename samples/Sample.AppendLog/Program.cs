// Many threads append records to one file; each record stays in one piece, and its offset comes back.
string path = Path.Combine(Path.GetTempPath(), $"sample-{Environment.ProcessId}.log");
try
{
    using (SluiceHandle log = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write))
    {
        await Parallel.ForAsync(0, 1000, async (i, cancellationToken) =>
        {
            byte[] record = System.Text.Encoding.UTF8.GetBytes($"record {i:0000}\n");
            long offset = await log.AppendAndGetOffsetAsync(record, cancellationToken);
            if (offset % record.Length != 0)
            {
                throw new InvalidDataException($"record {i} landed inside another, at {offset}");
            }
        });
        log.FlushDataToDisk();
    }

    Console.WriteLine($"{File.ReadLines(path).Distinct().Count()} records");
}
finally
{
    File.Delete(path);
}
