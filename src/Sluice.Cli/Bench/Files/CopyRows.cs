using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>A large cold file, and trees of small files.</summary>
internal static class CopyRows
{
    private const int TreeFileBytes = 1024;
    public const int Rounds = 7;

    public static IEnumerable<Row> All()
    {
        yield return new Row("copy-cold", "copy 1 GiB, cold",
            "CopyAsync against File.Copy; what File.Copy has written is not on the disk yet",
            context => OpenCopy(context, durable: false))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.CopyFileBytes,
            Target = new RowTarget { MinRatio = 1, MaxCpuShare = 0.5, MinSecondRatio = 0.9 },
            FillsPageCache = true,
        };
        yield return new Row("copy-cold-cp", "copy 1 GiB, cold, beside cp", "CopyAsync against cp, which shares blocks where it can",
            context => OpenCopy(context, durable: false, besideCp: true))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.CopyFileBytes,
            Target = new RowTarget { MinRatio = 1, MaxCpuShare = 0.5 },
            FillsPageCache = true,
        };
        yield return new Row("copy-durable", "copy 1 GiB, cold, durable", "FlushToDisk against cp and sync",
            context => OpenCopy(context, durable: true))
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => scale.CopyFileBytes,
            Target = new RowTarget { MinRatio = 1.15, MaxCpuShare = 0.5 },
            FillsPageCache = true,
        };
        yield return Tree("copy-tree-nested", "copy 50,000 files of 1 KiB, nested", "a source tree or a mail store, against cp -r",
            isFlat: false);
        yield return Tree("copy-tree-flat", "copy 50,000 files of 1 KiB, one folder",
            "where parallel copiers wait for the folder's lock, against cp -r", isFlat: true);
    }

    /// <param name="besideFio">True: fio is a second peer where it works.</param>
    public static Contest OpenCopy(BenchContext context, bool durable, bool besideCp = false, bool besideFio = true)
    {
        string source = context.CopyFile;
        var target = new ScratchCopy(context.ScratchFile("copied.dat"));
        var options = new CopyOptions { FlushToDisk = durable };
        string? ran = null;
        return new Contest(
            Side("Sluice", () => SluiceFile.CopyAsync(source, target.FullPath, options)),
            durable ? Side("cp, sync", CopyAndSync) with { RunsPrograms = true }
            : besideCp ? Side("cp", CopyByCp) with { RunsPrograms = true }
            : Side(".NET", CopyByDotNet),
            target)
        {
            Second = durable || besideCp || !besideFio || !FioCopy.Works(source)
                ? null
                : new Contender("fio, reading and writing at once", slice =>
                {
                    (slice.Elapsed, ran) = FioCopy.Run(source, target.FullPath, context.Scale.CopyFileBytes);
                    slice.Count(0);
                    return Task.CompletedTask;
                })
                {
                    Prepare = Prepare,
                    RunsPrograms = true,
                    CommandLine = () => ran,
                },
        };

        Task CopyByCp()
        {
            SystemCommand.Run("cp", source, target.FullPath);
            return Task.CompletedTask;
        }

        Task CopyAndSync()
        {
            SystemCommand.Run("cp", source, target.FullPath);
            SystemCommand.Run("sync", target.FullPath);
            return Task.CompletedTask;
        }

        Task CopyByDotNet()
        {
            File.Copy(source, target.FullPath);
            return Task.CompletedTask;
        }

        Contender Side(string name, Func<Task> copyAsync) =>
            Once(name, copyAsync, 1, Prepare) with { Verify = _ => FileCheck.SamePages(source, target.FullPath) };

        void Prepare()
        {
            target.Renew();
            using SluiceHandle handle = SluiceHandle.Open(source);
            _ = PageCache.DropClean(handle.SafeFileHandle);
        }
    }

    private static Row Tree(string id, string name, string why, bool isFlat) => new(id, name, why, context =>
    {
        string name = isFlat ? "flat" : "nested";
        return OpenTree(context, TreeVolume.Make(context, name), name, context.Scale.TreeFileCount, isFlat);
    })
    {
        Target = new RowTarget { MinRatio = 2 },
        MaxRounds = Rounds,
        FillsPageCache = true,
    };

    /// <summary>A tree of so many small files, copied by Sluice and by cp -r. The volume goes with the row.</summary>
    public static Contest OpenTree(BenchContext context, TreeVolume volume, string name, int count, bool isFlat)
    {
        FileTree source;
        try
        {
            source = FileTree.Ensure(Path.Combine(volume.Root, name), count, TreeFileBytes, isFlat, context.CancellationToken);
        }
        catch
        {
            volume.Dispose();
            throw;
        }
        var target = new FreshTree(volume, name + "-copy");
        var options = new CopyOptions { Recurse = true };
        return new Contest(
            Once("Sluice", () => SluiceFile.CopyAsync(source.Root, target.FullPath, options), source.Paths.Length, target.Renew),
            Once("cp -r", () => Task.Run(() => SystemCommand.Run("cp", "-r", source.Root, target.FullPath)), source.Paths.Length,
                target.Renew)
                with
            { RunsPrograms = true },
            volume);
    }

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
