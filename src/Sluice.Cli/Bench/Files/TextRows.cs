namespace Sluice.Cli.Bench.Files;

/// <summary>Rows that read and write whole files in the page cache: bytes, text and lines, synchronous and asynchronous.</summary>
internal static class TextRows
{
    public static IEnumerable<Row> All()
    {
        foreach ((string name, long bytes) in ((string, long)[])[("0.66mb", 660_000), ("10mb", 10_000_000), ("50mb", 50_000_000)])
        {
            yield return Make($"bytes-{name}", "ReadAllBytes", bytes, path => Contest.Passes(
                () => SluiceFile.ReadAllBytes(path).Length, () => File.ReadAllBytes(path).Length, isSingle: true));
            yield return Make($"bytes-async-{name}", "ReadAllBytesAsync", bytes, path => Contest.Passes(
                async () => (await SluiceFile.ReadAllBytesAsync(path)).Length, async () => (await File.ReadAllBytesAsync(path)).Length,
                isSingle: true));
            yield return Make($"text-{name}", "ReadAllText", bytes, path => Contest.Passes(
                () => SluiceFile.ReadAllText(path).Length, () => File.ReadAllText(path).Length, isSingle: true));
            yield return Make($"text-async-{name}", "ReadAllTextAsync", bytes, path => Contest.Passes(
                async () => (await SluiceFile.ReadAllTextAsync(path)).Length, async () => (await File.ReadAllTextAsync(path)).Length,
                isSingle: true));
            yield return Make($"lines-{name}", "ReadAllLines", bytes, path => Contest.Passes(
                () => SluiceFile.ReadAllLines(path).Length, () => File.ReadAllLines(path).Length, isSingle: true));
            yield return Make($"lines-async-{name}", "ReadAllLinesAsync", bytes, path => Contest.Passes(
                async () => (await SluiceFile.ReadAllLinesAsync(path)).Length, async () => (await File.ReadAllLinesAsync(path)).Length,
                isSingle: true));
        }
    }

    private static Row Make(string id, string member, long bytes, Func<string, Contest> open) => new(
        $"files-{id}", $"{member}, {bytes / 1e6:0.##} MB", "ASCII lines of 0 to 119 characters, in the page cache",
        context => open(context.TextFile(bytes / context.Scale.TextDivisor)))
    {
        BytesPerOperation = scale => bytes / scale.TextDivisor,
    };
}
