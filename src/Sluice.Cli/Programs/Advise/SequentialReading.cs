using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A large file that is not in memory, from its front to its back.</summary>
internal static class SequentialReading
{
    private const int KiB = 1024;
    private const int MiB = 1024 * KiB;

    private static readonly int[] GridSizes = [64 * KiB, 256 * KiB, MiB, 4 * MiB];
    private static readonly int[] GridDepths = [1, 4, 16];

    public static AdviceTopic Create(AdviseScale scale, CancellationToken cancellationToken) => new(
        "A large file, read once", "read a large file once, in order", AdviceTopic.BytesUnit, "net", Open, Remarks)
    {
        Grid = context => MeasureGridAsync(context, scale, cancellationToken),
    };

    private static IReadOnlyList<Approach> Open(BenchContext context)
    {
        string path = context.DirectFile;
        return
        [
            Cold("net", ".NET FileStream", "using FileStream stream = File.OpenRead(path);  // read by 64 KiB",
                slice => ReadStream(slice, new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read), 64 * KiB)),
            Cold("net-large", ".NET FileStream, 1 MiB requests",
                "using FileStream stream = new(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0);  // read by 1 MiB",
                slice => ReadStream(slice, new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, bufferSize: 0), MiB)),
            Cold("stream", "SluiceStream", "using SluiceStream stream = new(path, FileMode.Open, FileAccess.Read);  // read by 64 KiB",
                slice => ReadStream(slice, new SluiceStream(path, FileMode.Open, FileAccess.Read), 64 * KiB)),
            Cold("cached", "SluiceReader",
                "using SluiceReader reader = new(path);  // while (reader.TryReadBlock(out ReadOnlySpan<byte> block))",
                slice => ReadBlocks(slice, path, FileCaching.Cached)),
            Cold("uncached", "SluiceReader, uncached",
                "using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Uncached });",
                slice => ReadBlocks(slice, path, FileCaching.Uncached)),
            Cold("direct", "SluiceReader, direct",
                "using SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct });",
                slice => ReadBlocks(slice, path, FileCaching.Direct)),
            new Approach("direct-async", "SluiceReader, direct, asynchronous",
                "ReadOnlyMemory<byte> block = await reader.ReadBlockAsync();  // until it is empty",
                slice => ReadBlocksAsync(slice, path)) { Prepare = () => TimedPasses.DropCache(path) },
        ];

        Approach Cold(string key, string name, string code, Action<Slice> read) => new(key, name, code, slice =>
        {
            read(slice);
            return Task.CompletedTask;
        })
        { Prepare = () => TimedPasses.DropCache(path) };
    }

    private static IEnumerable<string> Remarks(Comparison c)
    {
        if (c.Has("direct"))
        {
            yield return $"Direct is {c.Compare("direct", "cached")} cached, for {c.CompareCpu("direct", "cached")}, and leaves the page "
                + $"cache to others; cached is for files that will be read again soon.";
        }
        yield return $"Uncached, which goes through the page cache and leaves nothing there, is {c.Compare("uncached", "cached")} cached.";
        if (c.Has("direct-async"))
        {
            yield return $"Asynchronous blocks are {c.Compare("direct-async", "direct")} synchronous ones, for "
                + $"{c.CompareCpu("direct-async", "direct")}.";
        }
    }

    private static void ReadStream(Slice slice, Stream opened, int requestBytes)
    {
        using Stream stream = opened;
        Span<byte> buffer = PinnedBuffer.Allocate(requestBytes).Span;
        for (int read; !slice.IsOver && (read = stream.Read(buffer)) > 0;)
            slice.Count(0, read);
    }

    private static void ReadBlocks(Slice slice, string path, FileCaching caching, int requestBytes = 0, int depth = 0)
    {
        using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = caching, RequestSize = requestBytes, Depth = depth });
        while (!slice.IsOver && reader.TryReadBlock(out ReadOnlySpan<byte> block))
            slice.Count(0, block.Length);
    }

    private static async Task ReadBlocksAsync(Slice slice, string path)
    {
        await using var reader = new SluiceReader(path, new SluiceReaderOptions { Caching = FileCaching.Direct });
        while (!slice.IsOver)
        {
            ReadOnlyMemory<byte> block = await reader.ReadBlockAsync();
            if (block.IsEmpty)
                return;
            slice.Count(0, block.Length);
        }
    }

    private static async Task<RequestGrid> MeasureGridAsync(BenchContext context, AdviseScale scale, CancellationToken cancellationToken)
    {
        string path = context.DirectFile;
        var turns = new TurnRunner(scale.GridSliceTime, scale.Rounds, cancellationToken);
        (int Size, int Depth)[] grid = [.. GridSizes.SelectMany(_ => GridDepths, (size, depth) => (size, depth))];
        IReadOnlyList<MeasuredRate> readings = await turns.MeasureAllAsync([.. grid.Select(g => new Contender("", slice =>
        {
            ReadBlocks(slice, path, FileCaching.Direct, g.Size, g.Depth);
            return Task.CompletedTask;
        })
        { MeasuresAllocations = true, Prepare = () => TimedPasses.DropCache(path) })]);
        return new RequestGrid("Direct reads", grid.Zip(readings).ToDictionary(g => g.First, g => g.Second));
    }
}
