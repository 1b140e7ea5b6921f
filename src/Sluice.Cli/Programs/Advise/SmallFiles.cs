using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Many files of 4 KiB.</summary>
internal static class SmallFiles
{
    private const int FileBytes = 4096;

    public static AdviceTopic Reading() => new(
        "Many small files, read", "read many files of 4 KiB", "files/s", "net", OpenReading, _ => []);

    public static AdviceTopic Writing() => new(
        "Many small files, written", "write many files of 4 KiB", "files/s", "net", OpenWriting, _ => [])
    {
        Writes = true,
    };

    private static IReadOnlyList<Approach> OpenReading(BenchContext context)
    {
        string[] paths = Paths(context);
        byte[] content = new byte[FileBytes];
        foreach (string path in paths)
            File.WriteAllBytes(path, content);
        return
        [
            new Approach("net", ".NET File.ReadAllBytes", "byte[] content = File.ReadAllBytes(path);", slice => Repeat(slice, () =>
            {
                foreach (string path in paths)
                    _ = File.ReadAllBytes(path);
                return paths.Length;
            })),
            new Approach("net-async", ".NET File.ReadAllBytesAsync, in parallel",
                "await Parallel.ForEachAsync(paths, async (path, token) => await File.ReadAllBytesAsync(path, token));",
                async slice =>
                {
                    do
                    {
                        await Parallel.ForEachAsync(paths, async (path, token) => await File.ReadAllBytesAsync(path, token));
                        slice.Count(0, paths.Length);
                    }
                    while (!slice.IsOver);
                }),
            new Approach("batch", "Sluice, a batch", "await foreach (FileReadResult file in SluiceFile.ReadManyAsync(paths))",
                async slice =>
            {
                do
                {
                    await foreach (FileReadResult file in SluiceFile.ReadManyAsync(paths))
                        _ = file.GetContent();
                    slice.Count(0, paths.Length);
                }
                while (!slice.IsOver);
            }),
        ];
    }

    private static IReadOnlyList<Approach> OpenWriting(BenchContext context)
    {
        string[] paths = Paths(context);
        byte[] content = new byte[FileBytes];
        new Random(1).NextBytes(content);
        return
        [
            new Approach("net", ".NET File.WriteAllBytes", "File.WriteAllBytes(path, content);", slice => Repeat(slice, () =>
            {
                foreach (string path in paths)
                    File.WriteAllBytes(path, content);
                return paths.Length;
            })),
            new Approach("batch", "Sluice, a batch", "await SluiceFile.WriteManyAsync(files);  // (path, bytes) each", async slice =>
            {
                do
                {
                    await SluiceFile.WriteManyAsync(paths.Select(p => (p, (ReadOnlyMemory<byte>)content)));
                    slice.Count(0, paths.Length);
                }
                while (!slice.IsOver);
            }),
        ];
    }

    private static Task Repeat(Slice slice, Func<int> pass)
    {
        do
        {
            slice.Count(0, pass());
        }
        while (!slice.IsOver);
        return Task.CompletedTask;
    }

    private static string[] Paths(BenchContext context) =>
        [.. Enumerable.Range(0, context.Scale.SmallFileCount).Select(i => context.ScratchFile($"advise-small-{i}.dat"))];
}
