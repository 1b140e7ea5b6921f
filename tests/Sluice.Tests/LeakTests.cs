using Sluice.Engines;
using Sluice.Memory;
using Sluice.Testing;

namespace Sluice.Tests;

/// <summary>Thousands of handles opened, used, cancelled and disposed on 64 tasks: nothing of them is left.</summary>
[Trait("Tier", "slow")]
[Collection(AloneCollection.Name)]
public sealed class LeakTests : AccountedTests, IDisposable
{
    private const int Workers = 64;
    private const int HandlesEach = 20;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Descriptors_threads_operations_and_memory_are_flat(bool faulty)
    {
        Skip.IfNot(Directory.Exists("/proc/self/fd"), "descriptors are counted in /proc");
        string[] files = [.. Enumerable.Range(0, Workers).Select(_ => _temp.NewFile(50_000))];
        FaultyEngine? engine = faulty
            ? new FaultyEngine(new FaultPlan(55)
            {
                ShortTransfer = 0.2,
                Eintr = 0.1,
                Eio = 0.05,
                Enospc = 0.05,
                Reorder = 0.05,
                MaxDelayMs = 1
            })
            : null;
        await RunAsync(files, engine);
        await RunAsync(files, engine);
        int threads = OwnThreads();
        long created = OperationPool.Created;
        int rented = Rented();
        long memory = GC.GetTotalMemory(forceFullCollection: true) - AlignedBufferPool.KeptBytes;
        for (int round = 0; round < 3; round++)
        {
            await RunAsync(files, engine);
        }

        // What was in flight when its handle was closed ends a moment later.
        _ = SpinWait.SpinUntil(() => OpenDescriptors().Length == 0, TimeSpan.FromMinutes(2));
        OpenDescriptors().ShouldBeEmpty();
        ShouldHaveGivenBack(rented);

        // Operations are kept for each thread: those of a thread of the pool that has ended are gone, and made anew.
        (OperationPool.Created - created).ShouldBeLessThan(2_000);
        OwnThreads().ShouldBeLessThanOrEqualTo(threads);
        // How many buffers the pool keeps depends on how many were out at once, and has its own bound.
        (GC.GetTotalMemory(forceFullCollection: true) - AlignedBufferPool.KeptBytes - memory).ShouldBeLessThan(4_000_000);
    }

    /// <summary>Sluice's threads by name: the pool of .NET and the kernel's workers come and go as they like.</summary>
    private static int OwnThreads() =>
        Directory.GetDirectories("/proc/self/task").Count(t => NameOf(t).StartsWith("Sluice", StringComparison.Ordinal));

    private static string NameOf(string task)
    {
        try
        {
            return File.ReadAllText(Path.Combine(task, "comm"));
        }
        catch (IOException)
        {
            // It ended while the folder was being listed.
            return "";
        }
    }

    private string[] OpenDescriptors() =>
        [.. Directory.GetFileSystemEntries("/proc/self/fd").Select(f => new FileInfo(f).LinkTarget).OfType<string>().Where(l =>
            l.StartsWith(_temp.Root, StringComparison.Ordinal))];

    private static Task RunAsync(string[] files, FaultyEngine? engine) =>
        Task.WhenAll(Enumerable.Range(0, Workers).Select(n => Task.Run(() => WorkAsync(files[n], n, engine))));

    private static async Task WorkAsync(string path, int seed, FaultyEngine? engine)
    {
        Random random = new(seed);
        byte[] buffer = new byte[9_000];
        for (int i = 0; i < HandlesEach; i++)
        {
            SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
            {
                Access = FileAccess.ReadWrite,
                Share = FileShare.ReadWrite,
                Caching = (FileCaching)(i % 3),
                Engine = engine,
            });
            using CancellationTokenSource source = new();
            List<Task> tasks = [];
            for (int j = 0; j < 6; j++)
            {
                int length = random.Next(buffer.Length);
                int offset = random.Next(40_000);
                Memory<byte> memory = new byte[length];
                tasks.Add(j switch
                {
                    0 or 1 => handle.ReadAsync(memory, offset, source.Token).AsTask(),
                    2 => handle.WriteAsync(memory, offset, source.Token).AsTask(),
                    3 => handle.ReadAsync([memory, memory], offset, source.Token).AsTask(),
                    4 => handle.WriteAsync([memory, (ReadOnlyMemory<byte>)memory], offset, source.Token).AsTask(),
                    _ => handle.ReadAsync(memory, offset + 1).AsTask(),
                });
            }

            if (i % 2 == 0)
            {
                await source.CancelAsync();
            }

            if (i % 3 == 0)
            {
                handle.Dispose();
            }

            foreach (Task task in tasks)
            {
                try
                {
                    await task;
                }
                catch (Exception e) when (e is OperationCanceledException or IOException or ObjectDisposedException)
                {
                    // Cancelled, failed by the plan, or closed: all that matters here is that nothing stays behind.
                }
            }

            try
            {
                handle.ReadBatch(new ReadRequest[] { new(0, buffer.AsMemory(0, 512)), new(777, buffer.AsMemory(512, 100)) });
                handle.WriteBatch(new WriteRequest[] { new(0, buffer.AsMemory(0, 512)), new(777, buffer.AsMemory(512, 100)) });
                handle.SetLength(50_000);
            }
            catch (Exception e) when (e is IOException or ObjectDisposedException)
            {
                // As above.
            }

            handle.Dispose();
        }
    }
}
