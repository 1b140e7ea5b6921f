using Sluice.Interop;

namespace Sluice.Cli.Bench.Files;

/// <summary>A large cold file, and trees of small files. The CPU of cp is not this process's, so those rows' CPU ratios say nothing.</summary>
internal static class CopyRows
{
    private const int TreeFileBytes = 1024;

    public static IEnumerable<Row> All()
    {
        yield return new Row("copy-cold", "copy 2 GiB, cold", "CopyAsync against File.Copy; what File.Copy has written is not on the disk yet",
            context => OpenCopy(context, durable: false))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.CopyFileBytes,
            Target = new RowTarget { MinRatio = 1.3, MaxCpuShare = 0.2 },
        };
        yield return new Row("copy-durable", "copy 2 GiB, cold, durable", "FlushesToDisk against cp and sync",
            context => OpenCopy(context, durable: true))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.CopyFileBytes,
            Target = new RowTarget { MinRatio = 1.5 },
        };
        yield return Tree("copy-tree-nested", "copy 50,000 files of 1 KiB, nested", "a source tree or a mail store, against cp -r", isFlat: false);
        yield return Tree("copy-tree-flat", "copy 50,000 files of 1 KiB, one folder", "where parallel copiers wait for the folder's lock, against cp -r", isFlat: true);
    }

    private static Contest OpenCopy(BenchContext context, bool durable)
    {
        string source = context.CopyFile;
        var target = new ScratchTree(context.ScratchFile("copied.dat"));
        Func<Task> dotNet = durable
            ? () =>
            {
                ScratchTree.Run("cp", source, target.FullPath);
                ScratchTree.Run("sync", target.FullPath);
                return Task.CompletedTask;
            }
        : () =>
        {
            File.Copy(source, target.FullPath);
            return Task.CompletedTask;
        };
        var options = new CopyOptions { FlushesToDisk = durable };
        return new Contest(
            Side("Sluice", () => SluiceFile.CopyAsync(source, target.FullPath, options)), Side(durable ? "cp, sync" : ".NET", dotNet), target);

        Contender Side(string name, Func<Task> copyAsync) => Once(name, copyAsync, 1, () =>
        {
            target.Renew();
            using SluiceHandle handle = SluiceHandle.Open(source);
            _ = PageCache.Drop(handle.SafeFileHandle);
        });
    }

    private static Row Tree(string id, string name, string why, bool isFlat) => new(id, name, why, context =>
    {
        var source = new FileTree(context.ScratchFile("tree"), context.Scale.TreeFileCount, TreeFileBytes, isFlat);
        var target = new ScratchTree(context.ScratchFile("tree-copy"));
        var options = new CopyOptions { IsRecursive = true };
        return new Contest(
            Once("Sluice", () => SluiceFile.CopyAsync(source.Root, target.FullPath, options), source.Paths.Length, target.Renew),
            Once("cp -r", () => Task.Run(() => ScratchTree.Run("cp", "-r", source.Root, target.FullPath)), source.Paths.Length, target.Renew),
            target, source);
    })
    {
        Target = new RowTarget { MinRatio = 2 },
    };

    /// <summary>One copy in each slice, since a second would meet the first one's pages.</summary>
    private static Contender Once(string name, Func<Task> copyAsync, long operations, Action prepare) => new(name, async slice =>
    {
        await copyAsync();
        slice.Count(0, operations);
    })
    {
        Prepare = prepare,
    };
}
