namespace Sluice.Cli.Bench.Sequential;

/// <summary>SluiceReader and SluiceWriter against FileStream, StreamReader and BinaryReader, with fio as the device's own limit.</summary>
internal static class SequentialSuite
{
    public static Suite Create() => new(
        "sequential", "SluiceReader and SluiceWriter against FileStream and its readers", 4,
        static scale => scale.StreamSliceTime, [.. Rows()]);

    private static IEnumerable<Row> Rows()
    {
        yield return BlockRows.ReadDirect();
        yield return BlockRows.ReadCached();
        yield return BlockRows.WriteDirect();
        yield return LineRows.Bytes();
        yield return LineRows.Strings();
        yield return LineRows.Asynchronous();
        yield return LineRows.Written();
        yield return RecordRows.Structs();
        yield return RecordRows.ParallelScan();
        yield return BlockRows.ReadSmall();
    }
}
