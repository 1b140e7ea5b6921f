using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Advise;

/// <summary>A text line by line, from memory: what splitting and decoding cost.</summary>
internal static class TextReading
{
    public static AdviceTopic Create() => new(
        "Lines of text", "read a text line by line", AdviceTopic.BytesUnit, "net", Open, c =>
        [
            $"As strings, Sluice is {c.Compare("strings", "net")} File.ReadLines; without a thread to block, "
                + $"{c.Compare("bytes-async", "net-async")} StreamReader.ReadLineAsync.",
        ]);

    private static IReadOnlyList<Approach> Open(BenchContext context)
    {
        string path = context.LogFile;
        long sizeBytes = context.Scale.LogFileBytes;
        return
        [
            new Approach("net", ".NET File.ReadLines", "foreach (string line in File.ReadLines(path))",
                Loops.Whole(() => Consume(File.ReadLines(path)), sizeBytes)),
            new Approach("net-async", ".NET StreamReader.ReadLineAsync", "while (await reader.ReadLineAsync() is { } line)",
                Loops.Whole(NetAsync, sizeBytes)),
            new Approach("strings", "Sluice, lines as strings", "foreach (string line in new SluiceReader(path).ReadStringLines())",
                Loops.Whole(
                    () =>
                    {
                        using var reader = new SluiceReader(path);
                        Consume(reader.ReadStringLines());
                    }, sizeBytes)),
            new Approach("bytes", "Sluice, lines as bytes", "foreach (ReadOnlySpan<byte> line in new SluiceReader(path).EnumerateLines())",
                Loops.Whole(
                    () =>
                    {
                        using var reader = new SluiceReader(path);
                        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
                            _ = line.Length;
                    }, sizeBytes)),
            new Approach("bytes-async", "Sluice, lines as bytes, asynchronous",
                "await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())",
                Loops.Whole(SluiceAsync, sizeBytes)),
        ];

        async Task NetAsync()
        {
            using var reader = new StreamReader(path, new FileStreamOptions { Options = FileOptions.Asynchronous });
            while (await reader.ReadLineAsync() is not null)
            {
            }
        }

        async Task SluiceAsync()
        {
            await using var reader = new SluiceReader(path);
            await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
                _ = line.Length;
        }
    }

    private static void Consume(IEnumerable<string> lines)
    {
        foreach (string line in lines)
            _ = line.Length;
    }
}
