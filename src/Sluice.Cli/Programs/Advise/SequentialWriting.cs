using Sluice.Cli.Bench;
using Sluice.Cli.Load;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A large new file, on the disk when it ends.</summary>
internal static class SequentialWriting
{
    private const int PieceBytes = 64 * 1024;
    private const int LargePieceBytes = 1024 * 1024;

    public static AdviceTopic Create(AdviseScale scale) => new(
        "A large new file", "write a large file, on the disk at the end", AdviceTopic.BytesUnit, "net",
        context => Open(context, scale.WrittenBytes), Remarks)
    {
        Writes = true,
    };

    private static IReadOnlyList<Approach> Open(BenchContext context, long sizeBytes)
    {
        string path = context.ScratchFile("advise-written.dat");
        Memory<byte> buffer = PinnedBuffer.AllocateRandom(LargePieceBytes, seed: 1);
        return
        [
            Make("net", ".NET FileStream", "using FileStream stream = File.Create(path);  // ... stream.Flush(flushToDisk: true);",
                slice => WriteStream(slice, File.Create(path), PieceBytes)),
            Make("net-sized", ".NET FileStream, preallocated, 1 MiB requests",
                "using FileStream stream = new(path, new FileStreamOptions { Mode = FileMode.Create, Access = FileAccess.Write, BufferSize "
                    + "= 0, PreallocationSize = size });",
                slice => WriteStream(slice, new FileStream(path, new FileStreamOptions
                {
                    Mode = FileMode.Create, Access = FileAccess.Write, BufferSize = 0, PreallocationSize = sizeBytes,
                }), LargePieceBytes)),
            Make("stream", "SluiceStream",
                "using SluiceStream stream = new(path, FileMode.Create, FileAccess.Write);  // ... stream.Flush(flushToDisk: true);",
                slice => WriteStream(slice, new SluiceStream(path, FileMode.Create, FileAccess.Write), PieceBytes)),
            Make("cached", "SluiceWriter", "using SluiceWriter writer = new(path, new SluiceWriterOptions { FlushToDisk = true });",
                slice => WriteBlocks(slice, new SluiceWriterOptions { FlushToDisk = true })),
            Make("cached-sized", "SluiceWriter, preallocated",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { PreallocationSize = size, FlushToDisk = true });",
                slice => WriteBlocks(slice, new SluiceWriterOptions { PreallocationSize = sizeBytes, FlushToDisk = true })),
            Make("direct", "SluiceWriter, direct",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, FlushToDisk = true });",
                slice => WriteBlocks(slice, new SluiceWriterOptions { Caching = FileCaching.Direct, FlushToDisk = true })),
            Make("direct-sized", "SluiceWriter, direct, preallocated",
                "using SluiceWriter writer = new(path, new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = size, "
                    + "FlushToDisk = true });",
                slice => WriteBlocks(slice, new SluiceWriterOptions { Caching = FileCaching.Direct, PreallocationSize = sizeBytes,
                    FlushToDisk = true })),
        ];

        Approach Make(string key, string name, string code, Action<Slice> write) => new(key, name, code, slice =>
        {
            write(slice);
            return Task.CompletedTask;
        })
        { Prepare = () => File.Delete(path) };

        void WriteStream(Slice slice, Stream opened, int pieceBytes)
        {
            using Stream stream = opened;
            for (long left = sizeBytes; left > 0 && !slice.IsOver; left -= pieceBytes)
            {
                stream.Write(buffer.Span[..pieceBytes]);
                slice.Count(0, pieceBytes);
            }
            if (stream is SluiceStream sluice)
                sluice.Flush(flushToDisk: true);
            else
                ((FileStream)stream).Flush(flushToDisk: true);
        }

        void WriteBlocks(Slice slice, SluiceWriterOptions options)
        {
            using var writer = new SluiceWriter(path, options);
            for (long left = sizeBytes; left > 0 && !slice.IsOver; left -= PieceBytes)
            {
                writer.Write(buffer.Span[..PieceBytes]);
                slice.Count(0, PieceBytes);
            }
            writer.Complete();
        }
    }

    private static IEnumerable<string> Remarks(Comparison c)
    {
        if (!c.Has("direct"))
        {
            yield return $"Preallocated, the cached writer is {c.Compare("cached-sized", "cached")} without.";
            yield break;
        }
        yield return $"Preallocated, the direct writer is {c.Compare("direct-sized", "direct")} without, and the cached one "
            + $"{c.Compare("cached-sized", "cached")} without.";
        yield return $"Direct is {c.Compare("direct", "cached")} cached, for {c.CompareCpu("direct", "cached")}.";
    }
}
