using Microsoft.Win32.SafeHandles;

namespace Sluice.Cli.Bench.Handles;

/// <summary>Scatter and gather, in the shape of the .NET 6 text's benchmark: a file of 100 MB in segments of 16,000 bytes.</summary>
internal static class VectorRows
{
    private const int SegmentBytes = 16_000;
    private const int SegmentCount = 4;
    private const long TransferBytes = SegmentBytes * SegmentCount;

    public static Row Scatter() => new(
        "scatter-read-4x16000", "hot scatter read 4 x 16,000 B", "one call fills four buffers", OpenScatter)
    {
        BytesPerOperation = _ => TransferBytes,
    };

    public static Row Gather() => new(
        "gather-write-4x16000", "gather write 4 x 16,000 B",
        "one call writes four buffers, to a file that grows to 100 MB; beside it four single writes", OpenGather)
    {
        BytesPerOperation = _ => TransferBytes,
    };

    private static Contest OpenScatter(BenchContext context)
    {
        string path = context.HotFile;
        SluiceHandle sluice = SluiceHandle.Open(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        SafeFileHandle dotNet = File.OpenHandle(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
        IReadOnlyList<Memory<byte>> segments = Loops.Buffers(SegmentCount, SegmentBytes);
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.HotFileBytes, (int)TransferBytes);
        return new Contest(
            slice => Loops.Repeat(slice, _ => sluice.Read(segments, offsets.Next(0))),
            slice => Loops.Repeat(slice, _ => RandomAccess.Read(dotNet, segments, offsets.Next(0))), prepare: null, sluice, dotNet);
    }

    private static Contest OpenGather(BenchContext context)
    {
        string path = context.ScratchFile("gather.dat");
        long fileSizeBytes = Math.Min(100_000_000, context.Scale.AppendLimitBytes);
        SluiceHandle sluice = SluiceHandle.Open(path, FileMode.Create, FileAccess.Write, FileShare.ReadWrite);
        SafeFileHandle dotNet = File.OpenHandle(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite);
        IReadOnlyList<ReadOnlyMemory<byte>> segments = [.. Loops.Buffers(SegmentCount, SegmentBytes).Select(m => (ReadOnlyMemory<byte>)m)];
        Action truncate = () => RandomAccess.SetLength(dotNet, 0);
        return new Contest(
            Side("Sluice", offset => sluice.Write(segments, offset)),
            Side(".NET", offset => RandomAccess.Write(dotNet, segments, offset)),
            sluice, dotNet)
        {
            Second = Side("four Write calls", offset =>
            {
                foreach (ReadOnlyMemory<byte> segment in segments)
                {
                    sluice.Write(segment.Span, offset);
                    offset += segment.Length;
                }
            }),
        };

        // From the start again when the file is full: what is timed is then an overwrite, for every side alike.
        Contender Side(string name, Action<long> write) =>
            new(name, slice => Loops.Repeat(slice, i => write(i % (fileSizeBytes / TransferBytes) * TransferBytes))) { Prepare = truncate };
    }
}
