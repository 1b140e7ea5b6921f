using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Files;

/// <summary>
/// Rows that measure the fixed cost of a call: copying a 1 KiB file, EnumerateFiles(...).Any(), and durably replacing a 4 KiB file.
/// </summary>
internal static class SingleRows
{
    private const int FileBytes = 1024;
    private const int FolderFiles = 200;

    public static IEnumerable<Row> All()
    {
        yield return new Row("copy-tiny", "copy one file of 1 KiB",
            "CopyAsync against File.Copy; the time that removing the copy takes is not counted, its CPU time is",
            static context => OpenCopy(context, FileBytes));
        yield return new Row("enumerate-any", "whether a folder has a file",
            "EnumerateFiles(...).Any() against Directory's, in a folder of 200: what is not asked for is not to be paid for", OpenAny);
        yield return new Row("replace-4k", "durable replace of 4 KiB",
            "settings and state files; .NET: temporary file, flush, rename, flush of the folder, by hand", OpenReplace);
    }

    /// <summary>Measures repeated copies of one file of the given size to a name that is free.</summary>
    public static Contest OpenCopy(BenchContext context, int bytes)
    {
        string source = context.ScratchFile("tiny.dat");
        byte[] content = new byte[bytes];
        new Random(42).NextBytes(content);
        File.WriteAllBytes(source, content);
        return new Contest(
            Side("Sluice", target => SluiceFile.CopyAsync(source, target)),
            Side(".NET", target =>
            {
                File.Copy(source, target);
                return Task.CompletedTask;
            }));

        Contender Side(string name, Func<string, Task> copyAsync)
        {
            string target = context.ScratchFile($"tiny-copy-{name}.dat");
            return new Contender(name, async slice =>
            {
                long ticks = 0;
                do
                {
                    long start = Stopwatch.GetTimestamp();
                    await copyAsync(target);
                    ticks += Stopwatch.GetTimestamp() - start;
                    if (slice.Operations == 0)
                        FileCheck.Content(target, content);
                    else
                        FileCheck.Length(target, bytes);
                    slice.Count(0);
                    File.Delete(target);
                }
                while (!slice.IsOver);
                slice.Elapsed = Stopwatch.GetElapsedTime(0, ticks);
            });
        }
    }

    private static Contest OpenAny(BenchContext context)
    {
        FileTree tree = FileTree.Ensure(context.KeptPath("any"), FolderFiles, 0, isFlat: true, context.CancellationToken);
        return Contest.Passes(
            () => SluiceFile.EnumerateFiles(tree.Root).Any() ? 1 : 0, () => Directory.EnumerateFiles(tree.Root).Any() ? 1 : 0,
            expected: 1);
    }

    private static Contest OpenReplace(BenchContext context)
    {
        string path = context.ScratchFile("replaced.dat");
        string temporary = context.ScratchFile("replaced.tmp");
        byte[] content = new byte[4096];
        new Random(42).NextBytes(content);
        File.WriteAllBytes(path, content);
        return Contest.Passes(
            async () =>
            {
                await SluiceFile.ReplaceAtomicallyAsync(path, content);
                return 1;
            },
            async () =>
            {
                using (SafeFileHandle file = File.OpenHandle(
                    temporary, FileMode.Create, FileAccess.Write, options: FileOptions.Asynchronous))
                {
                    await RandomAccess.WriteAsync(file, content, 0);
                    RandomAccess.FlushToDisk(file);
                }
                File.Move(temporary, path, overwrite: true);
                // .NET cannot open a directory, so Sluice and .NET use this call alike.
                if (CapabilityProbe.IsSupported)
                {
                    using OpenFolder folder = OpenFolder.Open(Path.GetDirectoryName(path)!);
                    folder.FlushToDisk();
                }
                return 1;
            });
    }
}
