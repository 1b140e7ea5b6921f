using Sluice.Faults.Child.Conformance;
using Sluice.Faults.Child.Support;

namespace Sluice.Faults.Child.Commands;

/// <summary>What an engine makes, keeps and does without, in a process of its own. Prints facts, one a line.</summary>
internal static class EngineCommand
{
    private const int EPERM = 1;
    private const int EAGAIN = 11;
    private const int BlockBytes = 4096;

    public static async Task<int> RunAsync(string scenario, string folder)
    {
        string path = Path.Combine(folder, "file");
        byte[] content = Pattern.Bytes(11, 64 * BlockBytes);
        File.WriteAllBytes(path, content);
        switch (scenario)
        {
            case "synchronous-only":
                RunSynchronously(path, content);
                PrintResources("after");
                using (SluiceHandle handle = SluiceHandle.Open(path))
                {
                    Console.WriteLine($"engine={handle.EngineName}");
                }

                PrintResources("asked");
                return 0;
            case "no-threads":
                return await WithoutThreadsAsync(path, content);
            case "refused-later":
                return await RefusedLaterAsync(folder, path, content);
            default:
                Console.Error.WriteLine($"no scenario '{scenario}'");
                return 2;
        }
    }

    private static void RunSynchronously(string path, byte[] content)
    {
        byte[] read = new byte[content.Length];
        foreach (FileCaching caching in Enum.GetValues<FileCaching>())
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, caching: caching);
            _ = handle.Read(read, 0);
            handle.Write(content.AsSpan(0, 2 * BlockBytes), 0);
            FileModel.ShouldMatch(read, content, "read");
        }

        PassingEngine passing = new();
        using SluiceHandle intercepted = SluiceHandle.Open(path, new SluiceOptions { Access = FileAccess.ReadWrite, Engine = passing });
        intercepted.Write(content, 0);
        _ = intercepted.Read(read, 0);
        FileModel.ShouldMatch(read, content, "read through an engine that stands before another");
        if (passing.Passed < 2)
        {
            throw new InvalidOperationException("the synchronous calls did not pass through the engine of the handle");
        }
    }

    /// <summary>
    /// Rings and threads of the library in this process, but for the thread that tells listeners of a new meter, which may not have ended.
    /// </summary>
    private static void PrintResources(string when) => Console.WriteLine($"{when}={Resources()}");

    private static string Resources()
    {
        int rings = new DirectoryInfo("/proc/self/fd").EnumerateFileSystemInfos()
            .Count(static f => f.LinkTarget?.Contains("io_uring", StringComparison.Ordinal) == true);
        int threads = Directory.GetDirectories("/proc/self/task")
            .Select(NameOf)
            .Count(static name => name.StartsWith("Sluice", StringComparison.Ordinal)
                && !name.StartsWith("Sluice listener", StringComparison.Ordinal));
        return $"{rings} rings, {threads} threads";
    }

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

    private static async Task<int> WithoutThreadsAsync(string path, byte[] content)
    {
        // Threads that the pool has already are all it will have.
        ThreadPool.SetMinThreads(8, 8);
        using (Barrier barrier = new(8))
        {
            await Task.WhenAll(Enumerable.Range(0, 8).Select(_ => Task.Run(barrier.SignalAndWait)));
        }

        // The console makes a thread of its own at its first line.
        Console.WriteLine("begun=yes");
        Seccomp.Refuse(EAGAIN, Seccomp.Clone, Seccomp.Clone3);
        byte[] read = new byte[content.Length];
        for (int i = 0; i < 3; i++)
        {
            using SluiceHandle handle = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, caching: FileCaching.Direct);
            _ = await handle.ReadAsync(read, 0);
            FileModel.ShouldMatch(read, content, "read");
            await handle.WriteAsync(content, 0);
            Console.WriteLine($"engine={handle.EngineName}");
            Console.WriteLine($"reason={handle.EngineReason}");
        }

        PrintResources("after");
        return 0;
    }

    private static async Task<int> RefusedLaterAsync(string folder, string path, byte[] content)
    {
        string fifo = Path.Combine(folder, "fifo");
        Native.MakeFifo(fifo);
        using SluiceHandle pipe = SluiceHandle.Open(fifo, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        using SluiceHandle direct = SluiceHandle.Open(
            path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, caching: FileCaching.Direct);
        Console.WriteLine($"engineBefore={direct.EngineName}");
        await UseEverythingAsync(folder, direct, path, content);
        byte[] got = new byte[1];
        using CancellationTokenSource cancellation = new();
        Task<int> waiting = pipe.ReadAsync(got, 0).AsTask();
        Task<int> cancelled = pipe.ReadAsync(new byte[1], 0, cancellation.Token).AsTask();

        Seccomp.Refuse(EPERM, Seccomp.IoUringEnter);
        for (int i = 0; i < 3; i++)
        {
            await UseEverythingAsync(folder, direct, path, content);
        }

        await cancellation.CancelAsync();
        Exception? error = await Record(cancelled);
        Console.WriteLine($"cancelled={error?.GetType().Name}");
        pipe.Write([7], 0);
        Console.WriteLine($"waited={await waiting} {got[0]}");
        Console.WriteLine($"engine={direct.EngineName}");
        Console.WriteLine($"reason={direct.EngineReason}");
        return 0;
    }

    private static async Task<Exception?> Record(Task task)
    {
        try
        {
            await task;
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    /// <summary>Whatever has a ring: transfers, batches, readers and writers, copies, many small files.</summary>
    private static async Task UseEverythingAsync(string folder, SluiceHandle direct, string path, byte[] content)
    {
        byte[] read = new byte[content.Length];
        await Task.WhenAll(Enumerable.Range(0, 64).Select(i =>
            direct.ReadAsync(read.AsMemory(i * BlockBytes, BlockBytes), i * BlockBytes).AsTask()));
        FileModel.ShouldMatch(read, content, "reads");
        await Task.WhenAll(Enumerable.Range(0, 64).Select(i =>
            direct.WriteAsync(content.AsMemory(i * BlockBytes, BlockBytes), i * BlockBytes).AsTask()));
        await direct.FlushToDiskAsync();
        ReadRequest[] requests = [.. Enumerable.Range(0, 64).Select(i => new ReadRequest(i * BlockBytes, new byte[BlockBytes]))];
        direct.ReadBatch(requests);
        FileModel.ShouldMatch([.. requests.SelectMany(r => r.Buffer.ToArray())], content, "batch");
        direct.WriteBatch([.. Enumerable.Range(0, 64).Select(i =>
            new WriteRequest(i * BlockBytes, content.AsMemory(i * BlockBytes, BlockBytes)))]);
        using (SluiceReader reader = new(path, new SluiceReaderOptions { Caching = FileCaching.Direct }))
        {
            List<byte> all = [];
            while (reader.TryReadBlock(out ReadOnlySpan<byte> block))
            {
                all.AddRange(block);
            }

            FileModel.ShouldMatch([.. all], content, "reader");
        }

        string copy = Path.Combine(folder, "copy");
        await SluiceFile.CopyAsync(path, copy, new CopyOptions { Overwrite = true, Method = CopyMethod.Auto });
        FileModel.ShouldMatch(File.ReadAllBytes(copy), content, "copy");
        string[] small = [.. Enumerable.Range(0, 40).Select(i => Path.Combine(folder, $"small{i}"))];
        foreach (string name in small)
        {
            File.WriteAllText(name, name);
        }

        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(small))
        {
            FileModel.ShouldMatch(result.Content!, System.Text.Encoding.UTF8.GetBytes(result.Path), "small");
        }
    }

    private sealed class PassingEngine : InterceptingEngine
    {
        public override string Name => "passing";

        public int Passed { get; private set; }

        protected override Interception OnSubmit(in IoSubmission submission)
        {
            Passed++;
            return Interception.PassOn;
        }
    }
}
