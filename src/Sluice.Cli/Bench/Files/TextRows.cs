namespace Sluice.Cli.Bench.Files;

/// <summary>Whole files in memory: bytes, text and lines, synchronous and asynchronous, hot.</summary>
internal static class TextRows
{
    private static readonly (string Name, long Bytes)[] Sizes = [("0.66mb", 660_000), ("10mb", 10_000_000), ("50mb", 50_000_000)];

    public static IEnumerable<Row> All()
    {
        foreach ((string name, long bytes) in Sizes)
        {
            yield return Sync($"files-bytes-{name}", "ReadAllBytes", bytes, SluiceFile.ReadAllBytes, File.ReadAllBytes);
            yield return Async($"files-bytes-async-{name}", "ReadAllBytesAsync", bytes, 1,
                p => SluiceFile.ReadAllBytesAsync(p), p => File.ReadAllBytesAsync(p));
            yield return Sync($"files-text-{name}", "ReadAllText", bytes, SluiceFile.ReadAllText, File.ReadAllText);
            yield return Async($"files-text-async-{name}", "ReadAllTextAsync", bytes, 2,
                p => SluiceFile.ReadAllTextAsync(p), p => File.ReadAllTextAsync(p));
            yield return Sync($"files-lines-{name}", "ReadAllLines", bytes, SluiceFile.ReadAllLines, File.ReadAllLines);
            yield return Async($"files-lines-async-{name}", "ReadAllLinesAsync", bytes, 1,
                p => SluiceFile.ReadAllLinesAsync(p), p => File.ReadAllLinesAsync(p));
        }
    }

    private static Row Sync<T>(string id, string member, long bytes, Func<string, T> sluice, Func<string, T> dotNet)
        where T : class => Make(id, member, bytes, 1, path => Loops.Passes("Sluice", () => Done(sluice(path)), isSingle: true),
            path => Loops.Passes(".NET", () => Done(dotNet(path)), isSingle: true));

    private static Row Async<T>(
        string id, string member, long bytes, double minRatio, Func<string, Task<T>> sluice, Func<string, Task<T>> dotNet)
        where T : class => Make(
            id, member, bytes, minRatio,
            path => Loops.PassesAsync("Sluice", async () => Done(await sluice(path)), isSingle: true),
            path => Loops.PassesAsync(".NET", async () => Done(await dotNet(path)), isSingle: true));

    private static Row Make(
        string id, string member, long bytes, double minRatio, Func<string, Contender> sluice, Func<string, Contender> dotNet) => new(
        id, $"{member}, {bytes / 1e6:0.##} MB", "ASCII lines of 0 to 119 characters, in the page cache", context =>
        {
            string path = MakeText(context, bytes);
            return new Contest(sluice(path), dotNet(path));
        })
        {
            Unit = RateUnit.MiBPerSecond,
            BytesPerOperation = scale => bytes / scale.TextDivisor,
            Target = new RowTarget { MinRatio = minRatio },
        };

    private static long Done(object content) => content is null ? 0 : 1;

    private static string MakeText(BenchContext context, long bytes)
    {
        string path = context.ScratchFile("text.txt");
        var random = new Random(42);
        using StreamWriter writer = File.CreateText(path);
        for (long left = bytes / context.Scale.TextDivisor; left > 0;)
        {
            string line = new((char)('a' + random.Next(26)), (int)Math.Min(left - 1, random.Next(120)));
            writer.Write(line);
            writer.Write('\n');
            left -= line.Length + 1;
        }
        return path;
    }
}
