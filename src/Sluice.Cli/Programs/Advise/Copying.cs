using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A large file that is not in memory.</summary>
internal static class Copying
{
    public static AdviceTopic Create() => new(
        "A copy", "copy a large file", AdviceTopic.BytesUnit, "net", Open, c =>
        [
            $"Neither is on the disk when it ends. Where it must be, Sluice's (FlushToDisk) is {c.Compare("durable", "net-durable")} "
                + $"File.Copy and a flush, for {c.CompareCpu("durable", "net-durable")}.",
        ])
    {
        Writes = true,
    };

    private static IReadOnlyList<Approach> Open(BenchContext context)
    {
        string source = context.CopyFile;
        string target = context.ScratchFile("advise-copy.dat");
        long sizeBytes = context.Scale.CopyFileBytes;
        return
        [
            Make("net", ".NET File.Copy", "File.Copy(source, target);", () =>
            {
                File.Copy(source, target);
                return Task.CompletedTask;
            }),
            Make("net-durable", ".NET File.Copy, then flushed",
                "File.Copy(source, target); using FileStream copy = File.OpenWrite(target); copy.Flush(flushToDisk: true);", () =>
            {
                File.Copy(source, target);
                using FileStream copy = File.OpenWrite(target);
                copy.Flush(flushToDisk: true);
                return Task.CompletedTask;
            }) with { DoesMore = true },
            Make("net-stream", ".NET FileStream.CopyToAsync", "await from.CopyToAsync(to);", async () =>
            {
                await using var from = new FileStream(source, FileMode.Open, FileAccess.Read, FileShare.Read, 4096, useAsync: true);
                await using var to = new FileStream(target, FileMode.CreateNew, FileAccess.Write, FileShare.None, 4096, useAsync: true);
                await from.CopyToAsync(to);
            }),
            Make("sluice", "Sluice CopyAsync", "await SluiceFile.CopyAsync(source, target);", () => SluiceFile.CopyAsync(source, target)),
            Make("durable", "Sluice CopyAsync, on the disk",
                "await SluiceFile.CopyAsync(source, target, new CopyOptions { FlushToDisk = true });",
                () => SluiceFile.CopyAsync(source, target, new CopyOptions { FlushToDisk = true })) with { DoesMore = true },
        ];

        // One in a slice: a second would find the first one's pages.
        Approach Make(string key, string name, string code, Func<Task> copyAsync) => new(key, name, code, async slice =>
        {
            await copyAsync();
            slice.Count(0, sizeBytes);
        })
        {
            Prepare = () =>
            {
                File.Delete(target);
                TimedPasses.DropCache(source);
            },
        };
    }
}
