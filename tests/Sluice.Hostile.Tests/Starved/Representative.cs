using System.Runtime.InteropServices;
using System.Text;

namespace Sluice.Hostile.Tests.Starved;

/// <summary>
/// One of each kind of call, in a process that has little to live on: two threads of the pool, a few descriptors, no rights. Says "right"
/// or "refused" for each; ends with 1 where a result is wrong or an error is none of the operating system's.
/// </summary>
internal static partial class Representative
{
    private const int NoFile = 7;
    private static readonly byte[] Content = Bytes.Pattern(300_000);

    /// <param name="folder">Where to work.</param>
    /// <param name="spareDescriptors">How many may be open beside those of the start; 0 for no limit.</param>
    /// <param name="mayRefuse">Whether an IOException is a right answer.</param>
    public static async Task<int> RunAsync(string folder, int spareDescriptors, bool mayRefuse)
    {
        ThreadPool.GetMaxThreads(out int threads, out _);
        Console.WriteLine($"{threads} threads, {SluiceEngines.Default.Name}");
        string source = Path.Combine(folder, "source");
        File.WriteAllBytes(source, Content);
        string tree = Path.Combine(folder, "tree");
        for (int i = 0; i < 30; i++)
        {
            string below = Directory.CreateDirectory(Path.Combine(tree, $"folder-{i}", "below")).FullName;
            File.WriteAllBytes(Path.Combine(below, "file"), Content.AsSpan(0, 1000 * i));
        }

        if (spareDescriptors > 0)
        {
            MakeThreads();

            // Once without a limit: what the runtime loads for each kind of call keeps descriptors of its own.
            foreach ((string _, Func<Task> work) in Works(Directory.CreateDirectory(Path.Combine(folder, "before")).FullName, source, tree))
            {
                await work().WaitAsync(Watchdog.Patience);
            }

            ulong limit = (ulong)(Accounts.DescriptorCount() + spareDescriptors);
            ulong[] limits = [limit, limit];
            if (setrlimit(NoFile, limits) != 0)
            {
                throw new IOException("setrlimit failed");
            }
        }

        bool isRight = true;
        foreach ((string name, Func<Task> work) in Works(folder, source, tree))
        {
            try
            {
                // On a thread of the pool: a process without descriptors can make none of its own.
                await Task.Run(work).WaitAsync(Watchdog.Patience);
                Console.WriteLine($"right: {name}");
            }
            catch (Exception e) when (mayRefuse && e is IOException or UnauthorizedAccessException)
            {
                Console.WriteLine($"refused: {name}: {e.Message}");
            }
            catch (Exception e)
            {
                isRight = false;
                Console.WriteLine($"WRONG: {name}: {e}");
            }
        }

        return isRight ? 0 : 1;
    }

    /// <summary>
    /// All threads that the pool may have: a pool that cannot make one for want of a descriptor ends the process, by an exception of its
    /// own that nobody can catch. Which call meets that would be left to chance.
    /// </summary>
    private static void MakeThreads()
    {
        int threads = Math.Max(8, Environment.ProcessorCount);
        _ = ThreadPool.SetMinThreads(threads, threads);
        _ = ThreadPool.SetMaxThreads(threads, threads);
        CountdownEvent all = new(threads);
        for (int i = 0; i < threads; i++)
        {
            _ = ThreadPool.UnsafeQueueUserWorkItem(
                static all =>
                {
                    all.Signal();
                    all.Wait();
                },
                all,
                preferLocal: false);
        }

        all.Wait();
    }

    private static IEnumerable<(string Name, Func<Task> Work)> Works(string folder, string source, string tree)
    {
        string Target(string name) => Path.Combine(folder, name);
        foreach (FileCaching caching in (FileCaching[])[FileCaching.Cached, FileCaching.Direct])
        {
            yield return ($"handle, {caching}", () => HandleAsync(Target($"handle {caching}"), caching));
            yield return ($"stream, {caching}", () => StreamAsync(Target($"stream {caching}"), caching));
            yield return ($"reader and writer, {caching}", () => ReaderAsync(source, Target($"writer {caching}"), caching));
        }

        yield return ("whole files", async () =>
        {
            await SluiceFile.WriteAllBytesAsync(Target("whole"), Content);
            (await SluiceFile.ReadAllBytesAsync(Target("whole"))).ShouldBeBytes(Content);
            await SluiceFile.WriteAllLinesAsync(Target("lines"), ["a", "b"]);
            (await SluiceFile.ReadAllLinesAsync(Target("lines"))).ShouldBe(["a", "b"]);
        }
        );
        yield return ("scan", async () =>
        {
            long bytes = 0;
            SluiceScanOptions options = new() { PartSize = 20_000, Degree = 4, Delimiter = 7 };
            await foreach (int part in SluiceReader.ScanAsync(source, p => p.Bytes.Length, options))
            {
                bytes += part;
            }

            bytes.ShouldBe(Content.Length);
        }
        );
        yield return ("many files", async () =>
        {
            (string, ReadOnlyMemory<byte>)[] files =
                [.. Enumerable.Range(0, 300).Select(i => (Target($"many-{i}"), (ReadOnlyMemory<byte>)Content.AsMemory(i, 500)))];
            await SluiceFile.WriteManyAsync(files);
            int read = 0;
            await foreach (FileReadResult result in SluiceFile.ReadManyAsync(files.Select(f => f.Item1)))
            {
                result.GetContent().ShouldBeBytes(Content.AsSpan(read++, 500));
            }

            read.ShouldBe(files.Length);
        }
        );
        yield return ("enumeration", () =>
        {
            SluiceFile.EnumerateFiles(tree, "*", SearchOption.AllDirectories).Count().ShouldBe(30);
            return Task.CompletedTask;
        }
        );
        yield return ("copy", async () =>
        {
            foreach (CopyMethod method in (CopyMethod[])[CopyMethod.Auto, CopyMethod.Direct, CopyMethod.Buffered])
            {
                await SluiceFile.CopyAsync(source, Target("copy"), new CopyOptions { Method = method, Overwrite = true });
                File.ReadAllBytes(Target("copy")).ShouldBeBytes(Content);
            }
        }
        );
        yield return ("verified copies", async () =>
        {
            // As many at once as the pool has threads, and more: none waits for another's.
            string[] targets = [.. Enumerable.Range(0, 6).Select(i => Target($"verified-{i}"))];
            await Task.WhenAll(targets.Select(target => SluiceFile.CopyAsync(
                source, target, new CopyOptions { Verify = true, Overwrite = true })));
            Array.ForEach(targets, target => File.ReadAllBytes(target).ShouldBeBytes(Content));
        }
        );
        yield return ("copy of a tree", async () =>
        {
            await SluiceFile.CopyAsync(tree, Target("tree copy"), new CopyOptions { Recurse = true, PreserveMetadata = true });
            Directory.GetFiles(Target("tree copy"), "*", SearchOption.AllDirectories).Length.ShouldBe(30);
        }
        );
        yield return ("replacement", async () =>
        {
            await Task.WhenAll(Enumerable.Range(0, 4).Select(_ => SluiceFile.ReplaceAtomicallyAsync(Target("replaced"), Content)));
            File.ReadAllBytes(Target("replaced")).ShouldBeBytes(Content);
        }
        );
        yield return ("follower", async () =>
        {
            await File.WriteAllTextAsync(Target("log"), "a\nb\n");
            SluiceFollowOptions options = new() { FromStart = true, PollInterval = TimeSpan.FromMilliseconds(1) };
            List<string> lines = [];
            await foreach (ReadOnlyMemory<byte> line in SluiceReader.FollowAsync(Target("log"), options))
            {
                lines.Add(Encoding.ASCII.GetString(line.Span));
                if (lines.Count == 2)
                {
                    break;
                }
            }

            lines.ShouldBe(["a", "b"]);
        }
        );
    }

    private static async Task HandleAsync(string path, FileCaching caching)
    {
        using SluiceHandle handle = SluiceHandle.Open(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Caching = caching,
            Options = FileOptions.Asynchronous,
        });
        const int piece = 5000;
        await Task.WhenAll(Enumerable.Range(0, 60).Select(i => handle.WriteAsync(Content.AsMemory(i * piece, piece), i * piece).AsTask()));
        byte[] read = new byte[Content.Length];
        await Task.WhenAll(Enumerable.Range(0, 60).Select(i => handle.ReadAsync(read.AsMemory(i * piece, piece), i * piece).AsTask()));
        read.ShouldBeBytes(Content);
        handle.ReadBatch([.. Enumerable.Range(0, 60).Select(i => new ReadRequest(i * piece, read.AsMemory(i * piece, piece)))]);
        read.ShouldBeBytes(Content);
        long[] ends = await Task.WhenAll(Enumerable.Range(0, 20).Select(_ => handle.AppendAndGetOffsetAsync(Content.AsMemory(0, 100)).AsTask()));
        ends.Distinct().Count().ShouldBe(20);
        handle.FlushToDisk();
    }

    private static async Task StreamAsync(string path, FileCaching caching)
    {
        await using SluiceStream stream = new(path, new SluiceOptions
        {
            Mode = FileMode.Create,
            Access = FileAccess.ReadWrite,
            Caching = caching,
            Options = FileOptions.Asynchronous,
        });
        for (int at = 0; at < Content.Length; at += 3000)
        {
            await stream.WriteAsync(Content.AsMemory(at, 3000));
        }

        await stream.FlushAsync();
        stream.Position = 0;
        byte[] read = new byte[Content.Length];
        await stream.ReadExactlyAsync(read);
        read.ShouldBeBytes(Content);
    }

    private static async Task ReaderAsync(string source, string target, FileCaching caching)
    {
        await using (SluiceWriter writer = new(target, new SluiceWriterOptions { Caching = caching, RequestSize = 16_384 }))
        {
            using SluiceReader reader = new(source, new SluiceReaderOptions { Caching = caching, RequestSize = 16_384 });
            while (await reader.ReadBlockAsync() is { IsEmpty: false } block)
            {
                await writer.WriteAsync(block);
            }
        }

        File.ReadAllBytes(target).ShouldBeBytes(Content);
    }

    [LibraryImport("libc", SetLastError = true)]
    private static partial int setrlimit(int resource, ulong[] limits);
}
