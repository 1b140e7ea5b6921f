using Sluice.Cli.Bench;
using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Many small reads at random, of a file that is not in memory and of one that is.</summary>
internal static class RandomReading
{
    private const int PageBytes = 4096;
    private const int Many = 32;
    private const int Batch = 128;

    public static AdviceTopic Cold() => new(
        "Many small reads of a file that is not in memory", "read 4 KiB here and there in a large file", "reads/s", "net-sync", OpenCold,
        c => !c.Has("direct-many") ? [] :
        [
            $"Direct at depth {Many} is {c.Compare("direct-many", "direct-one")} one at a time.",
            $"Direct is {c.Compare("direct-many", "cold-many")} cached at that depth, for {c.CompareCpu("direct-many", "cold-many")}.",
        ]);

    public static AdviceTopic Hot() => new(
        "Small reads of a file that is in memory", "read 4 KiB here and there in a file that is cached", "reads/s", "net", OpenHot, c =>
        [
            $"An asynchronous read of Sluice is {c.Compare("sluice-async", "sluice")} a synchronous one; .NET's is "
                + $"{c.Compare("net-async", "net")} its own.",
        ]);

    private static IReadOnlyList<Approach> OpenCold(BenchContext context)
    {
        string path = context.DirectFile;
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, Many);
        return
        [
            Make("net-sync", ".NET, one after the other", "RandomAccess.Read(handle, buffer, offset);", IoSide.Bcl, FileCaching.Cached, 0),
            Make("net-many", $".NET, {Many} outstanding", "await RandomAccess.ReadAsync(handle, buffer, offset);", IoSide.Bcl,
                FileCaching.Cached, Many),
            Make("cold-many", $"SluiceHandle, {Many} outstanding", "await handle.ReadAsync(buffer, offset);", IoSide.Sluice,
                FileCaching.Cached, Many),
            Make("direct-one", "SluiceHandle, direct, one after the other", "handle.Read(buffer, offset);  // Caching = FileCaching.Direct",
                IoSide.Sluice, FileCaching.Direct, 0),
            Make("direct-many", $"SluiceHandle, direct, {Many} outstanding",
                "await handle.ReadAsync(buffer, offset);  // Caching = FileCaching.Direct",
                IoSide.Sluice, FileCaching.Direct, Many),
            new Approach("batch", $"SluiceHandle, direct, batches of {Batch}",
                "handle.ReadBatch(requests);  // Caching = FileCaching.Direct",
                slice => ReadBatches(slice, path, offsets)),
        ];

        Approach Make(string key, string name, string code, IoSide side, FileCaching caching, int depth) =>
            new(key, name, code, async slice =>
        {
            using IoTarget target = IoTarget.Open(side,
                new TargetOptions(path, FileMode.Open, FileAccess.Read) { Asynchronous = depth > 0, Caching = caching });
            await Loops.Read(target, Math.Max(1, depth), PageBytes, offsets)(slice);
        })
            {
                Loops = Math.Max(1, depth),
                Prepare = () => TimedPasses.DropCache(path),
            };
    }

    private static IReadOnlyList<Approach> OpenHot(BenchContext context)
    {
        string path = context.HotFile;
        RandomOffsets offsets = RandomOffsets.Of(context.Scale.HotFileBytes, PageBytes);
        return
        [
            Make("net", ".NET", "RandomAccess.Read(handle, buffer, offset);", IoSide.Bcl, asynchronous: false),
            Make("net-async", ".NET, asynchronous", "await RandomAccess.ReadAsync(handle, buffer, offset);", IoSide.Bcl,
                asynchronous: true),
            Make("sluice", "SluiceHandle", "handle.Read(buffer, offset);", IoSide.Sluice, asynchronous: false),
            Make("sluice-async", "SluiceHandle, asynchronous", "await handle.ReadAsync(buffer, offset);", IoSide.Sluice,
                asynchronous: true),
        ];

        Approach Make(string key, string name, string code, IoSide side, bool asynchronous) => new(key, name, code, async slice =>
        {
            using IoTarget target = IoTarget.Open(side,
                new TargetOptions(path, FileMode.Open, FileAccess.Read) { Asynchronous = asynchronous });
            await Loops.Read(target, 1, PageBytes, offsets)(slice);
        });
    }

    private static Task ReadBatches(Slice slice, string path, RandomOffsets offsets)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, caching: FileCaching.Direct);
        Memory<byte> memory = PinnedBuffer.Allocate(Batch * PageBytes);
        var requests = new ReadRequest[Batch];
        while (!slice.IsOver)
        {
            for (int i = 0; i < requests.Length; i++)
                requests[i] = new ReadRequest(offsets.Next(0), memory.Slice(i * PageBytes, PageBytes));
            handle.ReadBatch(requests);
            slice.Count(0, requests.Length);
        }
        return Task.CompletedTask;
    }
}
