using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Streams;

/// <summary>Rows about whole files: copied, gathered, preallocated, read directly, opened.</summary>
internal static class StreamFileRows
{
    // The .NET 6 text: 100 MB by 16,000 bytes, gathered by four.
    private const int SegmentBytes = 16_000;
    private const int SegmentCount = 4;
    private const long FileBytes = 100_000_000;
    private const int DirectUserBufferBytes = (int)(64 * ByteSize.KiB);

    public static Row CopyToFile() => Copy(
        "stream-copy-to-file", "CopyToAsync 100 MiB to another file", "hot; both streams are of one kind",
        minRatio: 1, maxCpuShare: 0.8, toFile: true);

    public static Row CopyToSink() => Copy(
        "stream-copy-to-sink", "CopyToAsync 100 MiB to a sink",
        "hot, what reads is all that costs; .NET's pieces of 80 KiB leave only their thread hops to save, memory sets the rate",
        minRatio: 1.5,
        toFile: false);

    public static Row Gather() => new(
        "stream-gather", "100 MB gathered by 4 x 16,000 B",
        "SluiceHandle.Write and RandomAccess.Write of four segments, in a new file; beside it Sluice's single writes", OpenGather)
    {
        Unit = RateUnit.MiBPerSecond,
        BytesPerOperation = WholeSegments,
        Target = new RowTarget { MinRatio = 1, MinSecondRatio = 1.08, AllocatesNoMore = true },
    };

    public static Row Preallocated() => new(
        "stream-preallocated", "100 MB by 16,000 B, preallocated", "beside it Sluice's stream without PreallocationSize",
        context => OpenSized(context, preallocated: true))
    {
        Unit = RateUnit.MiBPerSecond,
        BytesPerOperation = WholeSegments,
        Target = new RowTarget { MinRatio = 1, AllocatesNoMore = true },
    };

    public static Row Grown() => new(
        "stream-grown", "100 MB by 16,000 B, not preallocated", "what the row above is to be compared with",
        context => OpenSized(context, preallocated: false))
    {
        Unit = RateUnit.MiBPerSecond,
        BytesPerOperation = WholeSegments,
    };

    public static Row DirectSequential() => new(
        "stream-direct-read-async", "direct sequential ReadAsync of 1 GiB by 65,536 B",
        "past the page cache; .NET: FileStream over a descriptor opened for direct I/O", OpenDirect)
    {
        Unit = RateUnit.MiBPerSecond,
        BytesPerOperation = _ => DirectUserBufferBytes,
        Target = new RowTarget { MinRatio = 2 },
    };

    public static Row Open() => new("stream-open", "stream opened and closed", "without a transfer; the buffer must wait for one", OpenOpen)
    {
        Target = new RowTarget { AllocatesNoMore = true },
    };

    private static long WholeSegments(BenchScale scale)
    {
        const long Bytes = SegmentBytes * SegmentCount;
        return Math.Min(FileBytes, scale.StreamFileBytes) / Bytes * Bytes;
    }

    private static Row Copy(string id, string name, string why, double minRatio, bool toFile, double? maxCpuShare = null) => new(
        id, name, why, context => OpenCopy(context, toFile))
    {
        Unit = RateUnit.MiBPerSecond,
        BytesPerOperation = scale => scale.StreamFileBytes,
        Target = new RowTarget { MinRatio = minRatio, MaxCpuShare = maxCpuShare, AllocatesNoMore = true },
    };

    private static Contest OpenCopy(BenchContext context, bool toFile)
    {
        long length = context.Scale.StreamFileBytes;
        StreamOpening source = StreamOpening.Reading(context.StreamFile, length, asynchronous: true);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> => toFile
            ? ToFile<TSide>()
            : Loops.PassesAsync(TSide.Name, () => StreamPasses.CopyToSinkAsync<TSide>(source));

        Contender ToFile<TSide>()
            where TSide : struct, IStreamSide<TSide>
        {
            StreamOpening destination = StreamOpening.Writing(context.ScratchFile<TSide>("copy.dat"), length, asynchronous: true);
            return Loops.PassesAsync(TSide.Name, () => StreamPasses.CopyAsync<TSide>(source, destination));
        }
    }

    private static Contest OpenGather(BenchContext context)
    {
        string ours = context.ScratchFile<SluiceStreamSide>("gathered.dat");
        string theirs = context.ScratchFile<FileStreamSide>("gathered.dat");
        long length = WholeSegments(context.Scale);
        IReadOnlyList<ReadOnlyMemory<byte>> segments = [.. Loops.Buffers(SegmentCount, SegmentBytes).Select(m => (ReadOnlyMemory<byte>)m)];
        return new Contest(
            Loops.Passes("Sluice", () => GatherPasses.GatherSluice(ours, length, segments)),
            Loops.Passes(".NET", () => GatherPasses.GatherDotNet(theirs, length, segments)))
        {
            Second = Loops.Passes("Sluice's single writes", () => GatherPasses.WriteSluice(ours, length, segments)),
        };
    }

    private static Contest OpenSized(BenchContext context, bool preallocated)
    {
        long sizeBytes = preallocated ? WholeSegments(context.Scale) : 0;
        byte[] buffer = new byte[SegmentBytes];
        new Random(1).NextBytes(buffer);
        return new Contest(Side<SluiceStreamSide>(sizeBytes, SluiceStreamSide.Name), Side<FileStreamSide>(sizeBytes, FileStreamSide.Name))
        {
            Second = preallocated ? Side<SluiceStreamSide>(0, "Sluice without") : null,
        };

        Contender Side<TSide>(long preallocationSizeBytes, string name)
            where TSide : struct, IStreamSide<TSide>
        {
            string path = context.ScratchFile<TSide>($"sized-{preallocationSizeBytes}.dat");
            StreamOpening opening = new(path, FileMode.Create, FileAccess.Write, WholeSegments(context.Scale))
            {
                PreallocationSizeBytes = preallocationSizeBytes,
            };
            return Loops.Passes(name, () => StreamPasses.Write<TSide>(opening, buffer));
        }
    }

    private static Contest OpenDirect(BenchContext context)
    {
        var opening = new StreamOpening(context.SequentialFile, FileMode.Open, FileAccess.Read, context.Scale.SequentialFileBytes)
        {
            Asynchronous = true,
            Caching = FileCaching.Direct,
        };
        DirectIo.Require(opening.Path, opening.Caching);
        SluiceStreamSide sluice = SluiceStreamSide.Open(opening);
        FileStreamSide dotNet = FileStreamSide.Open(opening);
        // FileStream has none of Sluice's bounce buffers; its reads need an aligned one.
        Memory<byte> buffer = PinnedBuffer.Allocate(DirectUserBufferBytes);
        return new Contest(Side(sluice), Side(dotNet), sluice, dotNet);

        // Slices go on where the last one ended: the file is larger than what a slice reads.
        Contender Side<TSide>(TSide side)
            where TSide : struct, IStreamSide<TSide> => new(TSide.Name, async slice =>
            {
                do
                {
                    long began = slice.Begin();
                    if (await side.ReadAsync(buffer) == 0)
                    {
                        side.Position = 0;
                        continue;
                    }
                    slice.End(began);
                    slice.Count(0);
                }
                while (!slice.IsOver);
            });
    }

    private static Contest OpenOpen(BenchContext context)
    {
        StreamOpening opening = StreamOpening.Reading(context.SmallFile(ByteSize.KiB), ByteSize.KiB, asynchronous: true);
        return new Contest(Side<SluiceStreamSide>(), Side<FileStreamSide>());

        Contender Side<TSide>()
            where TSide : struct, IStreamSide<TSide> =>
            Loops.Passes(TSide.Name, () => StreamPasses.OpenAndClose<TSide>(opening), isSingle: true);
    }
}
