using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>Rows that copy a large file that is not in the page cache, and trees of small files.</summary>
internal static class CopyRows
{
    private const int TreeFileBytes = 1024;

    public static IEnumerable<Row> All()
    {
        yield return Large("copy-cold", "copy 1 GiB, cold",
            "CopyAsync against File.Copy; what File.Copy has written is not on the disk yet", context => OpenCopy(context));
        yield return Large("copy-cold-cp", "copy 1 GiB, cold, beside cp", "CopyAsync against cp, which shares blocks where it can",
            context => OpenCopy(context, program: "cp"));
        yield return Large("copy-durable", "copy 1 GiB, cold, durable", "FlushToDisk against cp and sync",
            context => OpenCopy(context, program: "cp, sync"));
        yield return Tree("copy-tree-nested", "copy 10,000 files of 1 KiB, nested", "a source tree or a mail store, against cp -r",
            isFlat: false);
        yield return Tree("copy-tree-flat", "copy 10,000 files of 1 KiB, one folder",
            "where parallel copiers wait for the folder's lock, against cp -r", isFlat: true);
    }

    /// <param name="program">The alternative to Sluice: null for .NET, "cp", or "cp, sync" for a copy that is flushed to the disk.</param>
    public static Contest OpenCopy(BenchContext context, string? program = null)
    {
        string source = context.CopyFile;
        context.RequireRoom(context.Scale.CopyFileBytes);
        string target = context.ScratchFile("copied.dat");
        bool isDurable = program == "cp, sync";
        var options = new CopyOptions { FlushToDisk = isDurable };
        return new Contest(
            Side("Sluice", () => SluiceFile.CopyAsync(source, target, options)),
            Side(program ?? BenchTable.DotNetName, () => Task.Run(CopyByOther)) with { RunsPrograms = program is not null });

        void CopyByOther()
        {
            if (program is null)
                File.Copy(source, target);
            else
                SystemCommand.Run("cp", source, target);
            if (isDurable)
                SystemCommand.Run("sync", target);
        }

        Contender Side(string name, Func<Task> copyAsync) =>
            Once(name, copyAsync, 1, Prepare) with { Verify = _ => FileCheck.SamePages(source, target) };

        void Prepare()
        {
            File.Delete(target);
            // Writes back the file of the previous slice, so that its writeback does not slow down the next slice.
            Settling.FileSystemOf(Path.GetDirectoryName(target)!);
            using SluiceHandle handle = SluiceHandle.Open(source);
            _ = PageCache.DropClean(handle.SafeFileHandle);
        }
    }

    /// <summary>Compares copies of a tree of small files by Sluice and by cp -r.</summary>
    private static Contest OpenTree(BenchContext context, bool isFlat)
    {
        string name = isFlat ? "flat" : "nested";
        var source = FileTree.Ensure(
            context.KeptPath(name), context.Scale.TreeFileCount, TreeFileBytes, isFlat, context.CancellationToken);
        FreshFolder target = new(context, name + "-copy");
        var options = new CopyOptions { Recurse = true };
        return new Contest(
            Once("Sluice", () => SluiceFile.CopyAsync(source.Root, target.FullPath, options), source.Paths.Length, target.Renew),
            Once("cp -r", () => Task.Run(() => SystemCommand.Run("cp", "-r", source.Root, target.FullPath)), source.Paths.Length,
                target.Renew) with
            { RunsPrograms = true });
    }

    private static Row Large(string id, string name, string why, Func<BenchContext, Contest> open) => new(id, name, why, open)
    {
        BytesPerOperation = static scale => scale.CopyFileBytes,
        Fills = PageCacheFill.Once,
    };

    private static Row Tree(string id, string name, string why, bool isFlat) => new(
        id, name, why, context => OpenTree(context, isFlat))
    {
        Fills = PageCacheFill.Once,
    };

    /// <summary>
    /// Creates a contender that copies once in each slice: a second copy would find the pages of the first one in the cache.
    /// </summary>
    private static Contender Once(string name, Func<Task> copyAsync, long operations, Action prepare) => new(name, async slice =>
    {
        await copyAsync();
        slice.Count(0, operations);
    })
    {
        Prepare = prepare,
    };
}
