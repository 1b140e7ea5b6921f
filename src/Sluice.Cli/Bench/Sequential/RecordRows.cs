namespace Sluice.Cli.Bench.Sequential;

/// <summary>Records of 100 bytes, and one file on all cores; in the page cache.</summary>
internal static class RecordRows
{
    public static Row Structs() => new(
        "seq-records", "records of 100 B as structs, hot", "spans over the block; .NET: BinaryReader, field by field",
        context =>
        {
            string path = context.LogFile;
            return new Contest(Loops.Whole(() => ReadStructs(path)), Loops.Whole(() => ReadFields(path)));
        })
    {
        BytesPerOperation = scale => scale.LogFileBytes,
    };

    public static Row ParallelScan() => new(
        "seq-scan", "parallel scan counting lines, hot", "ScanAsync on 2 cores; beside it the same on one",
        context =>
        {
            string path = context.LogFile;
            return new Contest(
                new Contender("Sluice", Loops.Whole(() => ScanAsync(path, 2))),
                new Contender("one core", Loops.Whole(() => ScanAsync(path, 1))));
        })
    {
        BytesPerOperation = scale => scale.LogFileBytes,
    };

    private static long ReadStructs(string path)
    {
        using var reader = new SluiceReader(path);
        long sum = 0;
        foreach (ReadOnlySpan<LogRecord> records in reader.EnumerateRecordBatches<LogRecord>())
        {
            foreach (ref readonly LogRecord record in records)
                sum += record.Kind + record.Values[0] + record.Values[LogRecord.FieldCount - 1];
        }
        return sum;
    }

    private static long ReadFields(string path)
    {
        using FileStream stream = File.OpenRead(path);
        using var reader = new BinaryReader(stream);
        long sum = 0;
        long count = stream.Length / 100;
        for (long i = 0; i < count; i++)
        {
            sum += reader.ReadInt32();
            for (int field = 0; field < LogRecord.FieldCount; field++)
                sum += reader.ReadInt64();
        }
        return sum;
    }

    private static async Task ScanAsync(string path, int degree)
    {
        long lines = 0;
        var options = new SluiceScanOptions { Degree = degree, Ordered = false };
        await foreach (int count in SluiceReader.ScanAsync(path, part => part.Bytes.Count((byte)'\n'), options))
            lines += count;
    }
}
