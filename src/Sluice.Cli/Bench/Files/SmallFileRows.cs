using System.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>Rows that read thousands of 4 KiB files from the page cache or from the device, and rows that write them.</summary>
internal static class SmallFileRows
{
    private const int FileBytes = 4096;

    public static IEnumerable<Row> All()
    {
        yield return new Row("files-read-hot", "10,000 x 4 KiB, read all, hot",
            "sources, thumbnails, objects; beside a loop, Parallel.ForEachAsync at its best degree",
            context => OpenRead(context, cold: false));
        yield return new Row("files-read-cold", "10,000 x 4 KiB, read all, cold",
            "pages dropped, names and inodes in memory; the disk is asked for many at once",
            context => OpenRead(context, cold: true))
        {
            Fills = PageCacheFill.Once,
        };
        yield return new Row("files-write", "10,000 x 4 KiB, write all", "every file is new; .NET: a loop of WriteAllBytes",
            context => OpenWrite(context, "written"))
        {
            Fills = PageCacheFill.Once,
        };
    }

    /// <summary>Compares ways to read small files: in a batch, one by one and in parallel.</summary>
    private static Contest OpenRead(BenchContext context, bool cold)
    {
        var tree = FileTree.Ensure(context.KeptPath("small"), context.Scale.SmallFileCount, FileBytes, isFlat: false, context.CancellationToken);
        Action? prepare = cold ? tree.Drop : null;
        int degree = BestDegree(tree, prepare);
        return new Contest(
            Side("Sluice", () => ReadBatchAsync(tree).AsTask()), Side(".NET", () => Task.FromResult(ReadOneByOne(tree))))
        {
            Second = Side($"Parallel.ForEachAsync ({degree})", () => ReadInParallelAsync(tree, degree)),
        };

        // Each slice reads the files once: a second pass would find the files of a cold row in the page cache.
        Contender Side(string name, Func<Task> readAllAsync) => new(name, async slice =>
        {
            do
            {
                await readAllAsync();
                slice.Count(0, tree.Paths.Length);
            }
            while (!cold && !slice.IsOver);
        })
        {
            Prepare = prepare,
        };
    }

    /// <returns>The number of files read.</returns>
    public static async ValueTask<long> ReadBatchAsync(FileTree tree)
    {
        long files = 0;
        await foreach (FileReadResult result in SluiceFile.ReadManyAsync(tree.Paths))
        {
            Check(result.GetContent());
            files++;
        }
        return files;
    }

    /// <returns>The number of files read.</returns>
    public static long ReadOneByOne(FileTree tree)
    {
        foreach (string path in tree.Paths)
            Check(File.ReadAllBytes(path));
        return tree.Paths.Length;
    }

    public static Task ReadInParallelAsync(FileTree tree, int degree) => Parallel.ForEachAsync(
        tree.Paths, new ParallelOptions { MaxDegreeOfParallelism = degree },
        async (path, token) => Check(await File.ReadAllBytesAsync(path, token)));

    private static int BestDegree(FileTree tree, Action? prepare)
    {
        (int Degree, TimeSpan Time) best = (0, TimeSpan.MaxValue);
        foreach (int degree in (int[])[Environment.ProcessorCount, 4 * Environment.ProcessorCount, 16 * Environment.ProcessorCount])
        {
            prepare?.Invoke();
            long start = Stopwatch.GetTimestamp();
            ReadInParallelAsync(tree, degree).GetAwaiter().GetResult();
            TimeSpan time = Stopwatch.GetElapsedTime(start);
            if (time < best.Time)
                best = (degree, time);
        }
        return best.Degree;
    }

    public static void Check(byte[] content)
    {
        if (content.Length != FileBytes)
            throw new IOException("a file of the benchmark was read short");
    }

    /// <summary>Compares writing new files in a batch with writing them one by one.</summary>
    public static Contest OpenWrite(BenchContext context, string name)
    {
        byte[] content = new byte[FileBytes];
        new Random(42).NextBytes(content);
        string[] paths = [];
        var folder = new FreshFolder(context, name, root =>
        {
            for (int i = 0; i < 16; i++)
                Directory.CreateDirectory(Path.Combine(root, $"{i}"));
            paths = [.. Enumerable.Range(0, context.Scale.SmallFileCount).Select(i => Path.Combine(root, $"{i % 16}", $"file-{i}"))];
        });
        return new Contest(
            Side("Sluice", WriteBatchAsync), Side(".NET", WriteOneByOne));

        Contender Side(string name, Func<Task> writeAllAsync) => new(name, async slice =>
        {
            await writeAllAsync();
            slice.Count(0, paths.Length);
        })
        {
            Prepare = folder.Renew,
            Verify = _ => Array.ForEach(paths, path => FileCheck.Content(path, content)),
        };

        Task WriteBatchAsync() => SluiceFile.WriteManyAsync(paths.Select(p => (p, (ReadOnlyMemory<byte>)content)));

        Task WriteOneByOne()
        {
            foreach (string path in paths)
                File.WriteAllBytes(path, content);
            return Task.CompletedTask;
        }
    }
}
