using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>One use of a borrowed ring that the kernel lets in a few times and then no more; a program of its own.</summary>
internal static class RefusedRing
{
    private const int Block = 8192;

    private static readonly byte[] Content = Bytes.Pattern(40 * Block);

    public static TheoryData<string> Kinds => ["files", "reads", "writes", "reader", "writer", "operations"];

    /// <param name="errno">The error; 0 if the kernel accepts only the first entry of each call.</param>
    public static async Task<int> RunAsync(string folder, string kind, int allowed, int errno)
    {
        (string source, string[] small) = Prepare(folder);

        // Once without refusals, so that everything is there; its descriptors are not of this folder.
        await UseAsync(kind, folder, source, small);
        string input = OpenFiles.NameOf(0);
        int entered = 0;
        SystemCallFaults.Use((call, _, length) => call != "io_uring_enter" || Interlocked.Increment(ref entered) <= allowed ? 0
            : errno > 0 ? -errno
            : length > 1 ? 1 : 0);
        await UseAsync(kind, folder, source, small);
        SystemCallFaults.Use(null);
        await UseAsync(kind, folder, source, small);
        OpenFiles.NameOf(0).ShouldBe(input, "standard input");

        // What was in flight when its owner was closed keeps its file open until it ends.
        _ = SpinWait.SpinUntil(() => OpenFiles.Of(folder).Count == 0, Watchdog.Patience);
        OpenFiles.Of(folder).ShouldBeEmpty();
        Console.WriteLine(entered > allowed ? $"refused: {SluiceEngines.UringReason}" : "never refused");
        return 0;
    }

    /// <summary>The request to cancel is the first that the kernel refuses.</summary>
    public static async Task<int> CancelAsync(string fifo, int errno)
    {
        using SluiceHandle handle = SluiceHandle.Open(fifo, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using CancellationTokenSource source = new();
        Task<int> read = handle.ReadAsync(new byte[1], 0, source.Token).AsTask();
        Task<int> other = handle.ReadAsync(new byte[1], 0).AsTask();
        SystemCallFaults.Use((call, _, _) => call == "io_uring_enter" ? -errno : 0);
        await source.CancelAsync();
        await Watchdog.EndsAsync(() => Should.ThrowAsync<OperationCanceledException>(read), "what was cancelled");
        other.IsCompleted.ShouldBeFalse();
        handle.Write([1], 0);
        (await other.WaitAsync(Watchdog.Patience)).ShouldBe(1);
        SluiceEngines.UringReason.ShouldNotBeNull().ShouldContain("io_uring_enter");
        return 0;
    }

    private static (string Source, string[] Small) Prepare(string folder)
    {
        string source = Path.Combine(folder, "source");
        File.WriteAllBytes(source, Content);
        string[] small = [.. Enumerable.Range(0, 40).Select(i => Path.Combine(folder, $"small-{i}"))];
        for (int i = 0; i < small.Length; i++)
        {
            File.WriteAllBytes(small[i], Content.AsSpan(i, 100 + i).ToArray());
        }

        return (source, small);
    }

    private static async Task UseAsync(string kind, string folder, string source, string[] small)
    {
        string target = Path.Combine(folder, "target");
        switch (kind)
        {
            case "files":
                int next = 0;
                await foreach (FileReadResult result in SluiceFile.ReadManyAsync(small))
                {
                    result.GetContent().ShouldBeBytes(Content.AsSpan(next, 100 + next), result.Path);
                    next++;
                }

                next.ShouldBe(small.Length);
                return;
            case "reads":
                ReadRequest[] reads = [.. Enumerable.Range(0, 40).Select(i => new ReadRequest(i * Block, new byte[Block]))];
                using (SluiceHandle handle = SluiceHandle.Open(source, caching: FileCaching.Direct))
                {
                    handle.ReadBatch(reads);
                }

                reads.SelectMany(r => r.Buffer.ToArray()).ToArray().ShouldBeBytes(Content);
                return;
            case "operations":
                byte[][] parts = [.. Enumerable.Range(0, 40).Select(static _ => new byte[Block])];
                using (SluiceHandle handle = SluiceHandle.Open(source, caching: FileCaching.Direct))
                {
                    await Task.WhenAll(parts.Select((p, i) => handle.ReadAsync(p, i * Block).AsTask()));
                }

                parts.SelectMany(static p => p).ToArray().ShouldBeBytes(Content);
                return;
            case "writes":
                using (SluiceHandle handle = SluiceHandle.Open(target, FileMode.Create, FileAccess.ReadWrite, caching: FileCaching.Direct))
                {
                    handle.WriteBatch(
                        [.. Enumerable.Range(0, 40).Select(i => new WriteRequest(i * Block, Content.AsMemory(i * Block, Block)))]);
                }

                break;
            case "reader":
                SluiceReaderOptions blocks = new() { Caching = FileCaching.Direct, RequestSize = Block, Depth = 4 };
                using (SluiceReader reader = new(source, blocks))
                {
                    List<byte> all = [];
                    while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
                    {
                        all.AddRange(block);
                    }

                    all.ToArray().ShouldBeBytes(Content);
                }

                return;
            case "writer":
                SluiceWriterOptions options = new() { Caching = FileCaching.Direct, RequestSize = Block, Depth = 4 };
                using (SluiceWriter writer = new(target, options))
                {
                    for (int i = 0; i < Content.Length; i += 1000)
                    {
                        writer.Write(Content.AsSpan(i, Math.Min(1000, Content.Length - i)));
                    }

                    writer.Complete();
                }

                break;
            default:
                throw new ArgumentOutOfRangeException(nameof(kind), kind, null);
        }

        File.ReadAllBytes(target).ShouldBeBytes(Content);
    }
}
