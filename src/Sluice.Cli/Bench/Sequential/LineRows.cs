using System.Diagnostics;

namespace Sluice.Cli.Bench.Sequential;

/// <summary>Log-like text of lines of 100 bytes, in the page cache.</summary>
internal static class LineRows
{
    public static Row Bytes() => new(
        "seq-lines-bytes", "lines as bytes, hot", "no string for a line; .NET: StreamReader.ReadLine; and `wc -l`, which only counts",
        context =>
        {
            string path = context.LogFile;
            return new Contest(Loops.Whole(() => ReadBytes(path)), Loops.Whole(() => ReadStrings(path)))
            {
                Second = File.Exists(WordCount)
                    ? new Contender("wc -l", Loops.Whole(() => RunWordCount(path))) { RunsPrograms = true }
                    : null,
            };
        })
    {
        BytesPerOperation = scale => scale.LogFileBytes,
    };

    public static Row Strings() => new(
        "seq-lines-strings", "lines as strings, hot", "the same lines as strings; .NET: File.ReadLines",
        context =>
        {
            string path = context.LogFile;
            return new Contest(
                Loops.Whole(() =>
                {
                    using var reader = new SluiceReader(path);
                    Consume(reader.ReadStringLines());
                }),
                Loops.Whole(() => Consume(File.ReadLines(path))));
        })
    {
        BytesPerOperation = scale => scale.LogFileBytes,
    };

    public static Row Asynchronous() => new(
        "seq-lines-async", "lines as bytes, asynchronous, hot", "await foreach; .NET: StreamReader.ReadLineAsync",
        context =>
        {
            string path = context.LogFile;
            return new Contest(Loops.Whole(() => ReadBytesAsync(path)), Loops.Whole(() => ReadStringsAsync(path)));
        })
    {
        BytesPerOperation = scale => scale.LogFileBytes,
    };

    public static Row Written() => new(
        "seq-lines-written", "text written by lines", "WriteLine of strings of 99 characters into a new file; .NET: StreamWriter.WriteLine",
        context =>
        {
            string path = context.ScratchFile("written.txt");
            long sizeBytes = context.Scale.LogFileBytes;
            string[] lines = [.. File.ReadLines(context.LogFile).Take(DistinctLines)];
            return new Contest(
                Loops.Whole(() => WriteLines(path, lines, sizeBytes)), Loops.Whole(() => WriteStreamLines(path, lines, sizeBytes)),
                () => File.Delete(path));
        })
    {
        BytesPerOperation = scale => scale.LogFileBytes,
        FillsPageCache = true,
    };

    private const int DistinctLines = 1000;
    private const string WordCount = "/usr/bin/wc";

    private static void WriteLines(string path, string[] lines, long sizeBytes)
    {
        using var writer = new SluiceWriter(path);
        int next = 0;
        for (long written = 0; written < sizeBytes; written += LineBytes(lines[next]), next = (next + 1) % lines.Length)
            writer.WriteLine(lines[next]);
    }

    private static void WriteStreamLines(string path, string[] lines, long sizeBytes)
    {
        using var writer = new StreamWriter(path);
        int next = 0;
        for (long written = 0; written < sizeBytes; written += LineBytes(lines[next]), next = (next + 1) % lines.Length)
            writer.WriteLine(lines[next]);
    }

    /// <summary>The lines are ASCII.</summary>
    private static int LineBytes(string line) => line.Length + Environment.NewLine.Length;

    public static long ReadBytes(string path)
    {
        using var reader = new SluiceReader(path);
        long length = 0;
        foreach (ReadOnlySpan<byte> line in reader.EnumerateLines())
            length += line.Length;
        return length;
    }

    public static long ReadStrings(string path)
    {
        using var reader = new StreamReader(path);
        long length = 0;
        while (reader.ReadLine() is { } line)
            length += line.Length;
        return length;
    }

    private static long Consume(IEnumerable<string> lines)
    {
        long length = 0;
        foreach (string line in lines)
            length += line.Length;
        return length;
    }

    private static async Task<long> ReadBytesAsync(string path)
    {
        using var reader = new SluiceReader(path);
        long length = 0;
        await foreach (ReadOnlyMemory<byte> line in reader.EnumerateLinesAsync())
            length += line.Length;
        return length;
    }

    private static async Task<long> ReadStringsAsync(string path)
    {
        using var stream = new FileStream(path, FileMode.Open, FileAccess.Read, FileShare.Read, 4096, useAsync: true);
        using var reader = new StreamReader(stream);
        long length = 0;
        while (await reader.ReadLineAsync() is { } line)
            length += line.Length;
        return length;
    }

    private static void RunWordCount(string path)
    {
        using Process process =
            Process.Start(new ProcessStartInfo(WordCount, ["-l", path]) { UseShellExecute = false, RedirectStandardOutput = true })
            ?? throw new IOException("wc did not start");
        _ = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
    }
}
