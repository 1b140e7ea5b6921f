namespace Sluice.Cli.Bench.Files;

/// <summary>Rows that enumerate files in memory: only the names, and the names with sizes and times.</summary>
internal static class EnumerationRows
{
    private static readonly EnumerationOptions Recursive = new() { RecurseSubdirectories = true };

    public static IEnumerable<Row> All()
    {
        yield return new Row("enumerate-names", "enumerate 200,000 files", "names alone, in folders of 200, in memory", context =>
            Open(context, root => SluiceFile.EnumerateFiles(root, "*", Recursive).Count(),
                root => Directory.EnumerateFiles(root, "*", Recursive).Count()));
        yield return new Row("enumerate-details", "enumerate 200,000 files with sizes and times",
            "against DirectoryInfo.EnumerateFiles, whose FileInfos ask for both",
            context => Open(context, CountSluice, CountDotNet));
    }

    private static int CountSluice(string root)
    {
        int count = 0;
        foreach (FileEntry entry in SluiceFile.EnumerateFileEntries(root, "*", Recursive))
            count += entry.Length >= 0 && entry.LastWriteTimeUtc > DateTime.UnixEpoch ? 1 : 0;
        return count;
    }

    private static int CountDotNet(string root)
    {
        int count = 0;
        foreach (FileInfo info in new DirectoryInfo(root).EnumerateFiles("*", Recursive))
            count += info.Length >= 0 && info.LastWriteTimeUtc > DateTime.UnixEpoch ? 1 : 0;
        return count;
    }

    private static Contest Open(BenchContext context, Func<string, int> sluice, Func<string, int> dotNet)
    {
        var tree = FileTree.Ensure(
            context.KeptPath("enumerated"), context.Scale.EnumeratedFileCount, 0, isFlat: false, context.CancellationToken);
        return Contest.Passes(() => sluice(tree.Root), () => dotNet(tree.Root), countUnits: true, expected: tree.Paths.Length);
    }
}
