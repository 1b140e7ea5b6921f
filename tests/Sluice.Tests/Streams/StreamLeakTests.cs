using Sluice.Engines;
using Sluice.Memory;
using Sluice.Testing;

namespace Sluice.Tests.Streams;

/// <summary>Thousands of streams opened, used, cancelled, failed and disposed on many tasks: nothing of them is left.</summary>
[Trait("Tier", "slow")]
[Collection(AloneCollection.Name)]
public sealed class StreamLeakTests : AccountedTests, IDisposable
{
    private const int Workers = 32;
    private const int StreamsEach = 24;

    private readonly TempFolder _temp = new();

    public void Dispose() => _temp.Dispose();

    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Descriptors_operations_buffers_and_memory_are_flat(bool faulty)
    {
        Skip.IfNot(Directory.Exists("/proc/self/fd"), "descriptors are counted in /proc");
        string[] files = [.. Enumerable.Range(0, Workers).Select(_ => _temp.NewFile(200_000))];
        FaultyEngine? engine = faulty
            ? new FaultyEngine(new FaultPlan(56)
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
        int buffers = Rented();
        long created = OperationPool.Created;
        long memory = GC.GetTotalMemory(forceFullCollection: true) - AlignedBufferPool.KeptBytes;
        for (int round = 0; round < 3; round++)
        {
            await RunAsync(files, engine);
        }

        // Closing a stream does not wait for long for what it reads ahead.
        _ = SpinWait.SpinUntil(() => OpenDescriptors().Length == 0, TimeSpan.FromMinutes(2));
        OpenDescriptors().ShouldBeEmpty();
        ShouldHaveGivenBack(buffers);

        // Operations are kept for each thread: those of a thread of the pool that has ended are gone, and made anew.
        (OperationPool.Created - created).ShouldBeLessThan(2_000);

        // How many buffers the pool keeps depends on how many were out at once, and has its own bound.
        (GC.GetTotalMemory(forceFullCollection: true) - AlignedBufferPool.KeptBytes - memory).ShouldBeLessThan(8_000_000);
    }

    /// <summary>Also if its window has grown.</summary>
    [Theory]
    [InlineData(10)]
    [InlineData(10_000)]
    public void What_was_written_to_a_forgotten_stream_is_written_when_it_is_collected(int bytes)
    {
        string path = _temp.NewPath();
        Forget(path, bytes);
        for (int i = 0; i < 20 && new FileInfo(path).Length < bytes; i++)
        {
            GC.Collect();
            GC.WaitForPendingFinalizers();
        }

        File.ReadAllBytes(path).ShouldBeBytes(Bytes.Pattern(bytes));

        [System.Runtime.CompilerServices.MethodImpl(System.Runtime.CompilerServices.MethodImplOptions.NoInlining)]
        static void Forget(string path, int bytes)
        {
            SluiceStream stream = new(path, FileMode.CreateNew);
            byte[] content = Bytes.Pattern(bytes);
            for (int i = 0; i < bytes; i += 10)
            {
                stream.Write(content.AsSpan(i, 10));
            }
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
        for (int i = 0; i < StreamsEach; i++)
        {
            SluiceStream stream = new(path, new SluiceOptions
            {
                Access = FileAccess.ReadWrite,
                Share = FileShare.ReadWrite,
                BufferSize = StreamConfiguration.BufferSizes[i % StreamConfiguration.BufferSizes.Length],
                Caching = (FileCaching)(i % 3),
                Options = i % 2 == 0 ? FileOptions.Asynchronous : FileOptions.None,
                Engine = engine,
            });
            using CancellationTokenSource source = new();
            List<Task> tasks = [];
            for (int j = 0; j < 8; j++)
            {
                Memory<byte> memory = new byte[random.Next(9_000)];
                if (j % 4 == 0)
                {
                    // Nobody may move a stream while it works.
                    int target = random.Next(150_000);
                    await QuietlyAsync(Task.WhenAll(tasks));
                    await QuietlyAsync(Task.Run(() => stream.Position = target));
                }

                tasks.Add(random.Next(4) switch
                {
                    0 => stream.ReadAsync(memory, source.Token).AsTask(),
                    1 => stream.WriteAsync(memory, source.Token).AsTask(),
                    2 => stream.CopyToAsync(Stream.Null, 4096, source.Token),
                    _ => stream.FlushAsync(source.Token),
                });
                if (j % 3 == 0)
                {
                    await QuietlyAsync(tasks[j]);
                }
            }

            if (i % 2 == 0)
            {
                await source.CancelAsync();
            }

            if (i % 5 != 0)
            {
                await QuietlyAsync(Task.WhenAll(tasks));
            }

            await QuietlyAsync(i % 3 == 0 ? Task.Run(stream.Dispose) : stream.DisposeAsync().AsTask());
            await QuietlyAsync(Task.WhenAll(tasks));
        }
    }

    private static async Task QuietlyAsync(Task task)
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
}
