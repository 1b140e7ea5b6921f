namespace Sluice.Cli.Bench.Files;

/// <summary>A copy that shares its blocks with the source, on file systems in images that can.</summary>
internal static class ReflinkRows
{
    private const double MaxMilliseconds = 10;

    public static IEnumerable<Row> All()
    {
        foreach (string fileSystem in (string[])["xfs", "btrfs"])
        {
            yield return new Row($"copy-reflink-{fileSystem}", $"copy 1 GiB on {fileSystem}, shared blocks",
                "FICLONE: the time does not depend on the size; an image, for which root is needed", context => Open(context, fileSystem))
            {
                Target = new RowTarget { MaxMilliseconds = MaxMilliseconds },
            };
        }
    }

    private static Contest Open(BenchContext context, string fileSystem)
    {
        LoopFileSystem mounted = LoopFileSystem.Make(context.KeptPath($"{fileSystem}.image"), fileSystem, 2 * context.Scale.CopyFileBytes);
        try
        {
            string source = Path.Combine(mounted.Root, "source.dat");
            string target = Path.Combine(mounted.Root, "copy.dat");
            File.Copy(context.CopyFile, source);
            mounted.Flush();
            return new Contest(
                Side("Sluice", async () =>
                {
                    CopyResult result = await SluiceFile.CopyAsync(source, target);
                    if (result.Method != CopyMethod.Reflink)
                        throw new IOException($"{fileSystem} did not share blocks: {result.MethodReason}");
                }),
                Side(".NET", () =>
                {
                    File.Copy(source, target);
                    return Task.CompletedTask;
                }), mounted);

            Contender Side(string name, Func<Task> copyAsync) => new(name, async slice =>
            {
                await copyAsync();
                slice.Count(0);
            })
            {
                Prepare = () => File.Delete(target),
                IsPass = true,
            };
        }
        catch
        {
            mounted.Dispose();
            throw;
        }
    }
}
