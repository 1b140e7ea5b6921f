using System.Globalization;
using System.IO.Compression;

namespace Sluice.Log.Tests;

/// <summary>Logs of processes that are killed, and of several at once.</summary>
public sealed class ProcessTests
{
    /// <summary>SLUICE_KILLS asks for more: each costs the start of a process.</summary>
    private static readonly int Kills =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills) && kills > 0
            ? kills
            : 12;

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public async Task A_killed_process_loses_nothing_that_it_was_acknowledged(LogDurability durability)
    {
        using TempFolder folder = new();
        Random random = new(31);
        Dictionary<long, (int Writer, int Number)> acknowledged = [];
        for (int kill = 0; kill < Kills / 2; kill++)
        {
            using ChildProcess child = new("append", folder.Log, $"{durability}");
            string? first = await child.Output.ReadLineAsync();
            if (first is null)
            {
                Assert.Fail((await child.FinishAsync()).Errors);
            }

            first.ShouldStartWith("open ");
            List<string> lines = [];
            for (int i = 0; i < 3; i++)
            {
                lines.Add((await child.Output.ReadLineAsync()).ShouldNotBeNull());
            }

            await Task.Delay(random.Next(120));
            child.Kill();
            lines.AddRange((await child.FinishAsync()).Lines);
            foreach (string line in lines)
            {
                long[] numbers = [.. line.Split(' ').Select(static n => long.Parse(n, CultureInfo.InvariantCulture))];
                acknowledged.Add(numbers[0], ((int)numbers[1], (int)numbers[2]));
            }

            Dictionary<long, (int Writer, int Number)> found = [];
            long last = 0;
            foreach ((long sequence, byte[] bytes) in Records.ReadWritten(folder.Log))
            {
                sequence.ShouldBe(++last);
                found.Add(sequence, Records.Check(bytes));
            }

            foreach ((long sequence, (int Writer, int Number) record) in acknowledged)
            {
                found.ShouldContainKey(sequence);
                found[sequence].ShouldBe(record);
            }
        }

        acknowledged.Count.ShouldBeGreaterThan(Kills);
        using SluiceLog log = SluiceLog.Open(folder.Log);
        log.NextSequence.ShouldBeGreaterThan(acknowledged.Keys.Max());
    }

    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task With_few_descriptors_left_a_log_is_refused_or_works_whole(LogFormat format)
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "The limit of descriptors is Linux's here.");
        using TempFolder folder = new();
        using ChildProcess child = new("scarce", folder.Root, $"{format}");
        (string[] lines, int exitCode, string errors) = await child.FinishAsync();
        exitCode.ShouldBe(0, string.Join('\n', lines) + errors);
        errors.ShouldBeEmpty();
        lines[0].ShouldBe("rehearsal 4 ");
        lines[^1].ShouldBe("24 4 ");
        string[] refusals = [.. lines.Where(static l => l.Contains(" 0 ", StringComparison.Ordinal))];
        refusals.ShouldNotBeEmpty();
        refusals.ShouldAllBe(l => l.Contains(folder.Root, StringComparison.Ordinal));
        lines.Where(static l => !l.Contains(" 0 ", StringComparison.Ordinal)).ShouldAllBe(l => l.EndsWith(" 4 ", StringComparison.Ordinal));
    }

    [SkippableTheory]
    [InlineData(CompressionLevel.NoCompression)]
    [InlineData(CompressionLevel.Fastest)]
    public async Task Lines_of_many_processes_and_threads_are_whole_in_raw_files(CompressionLevel compression)
    {
        Skip.If(compression != CompressionLevel.NoCompression && !OperatingSystem.IsLinux(), "Raw logs are compressed on Linux alone.");
        const int processes = 4;
        const int threads = 8;
        const int count = 3000;
        using TempFolder folder = new();
        ChildProcess[] children =
        [
            .. Enumerable.Range(0, processes).Select(
                p => new ChildProcess("raw", folder.Log, $"{p}", $"{threads}", $"{count}", $"{compression}")),
        ];
        try
        {
            foreach (ChildProcess child in children)
            {
                (await child.Output.ReadLineAsync()).ShouldBe("ready");
            }

            foreach (ChildProcess child in children)
            {
                await child.Input.WriteLineAsync("go");
                await child.Input.FlushAsync();
            }

            foreach (ChildProcess child in children)
            {
                (string[] _, int exitCode, string errors) = await child.FinishAsync();
                exitCode.ShouldBe(0, errors);
            }
        }
        finally
        {
            foreach (ChildProcess child in children)
            {
                child.Dispose();
            }
        }

        int[] next = new int[processes * threads];
        string[] files = [.. Directory.GetFiles(folder.Log, "*.log*").Order(StringComparer.Ordinal)];
        files.Length.ShouldBeGreaterThan(1);
        files.Any(static f => f.EndsWith(".gz", StringComparison.Ordinal)).ShouldBe(compression != CompressionLevel.NoCompression);
        files.Any(f => files.Contains(f + ".gz")).ShouldBeFalse();
        HashSet<(int, int)> seen = [];
        foreach (string file in files)
        {
            Dictionary<int, int> lastInFile = [];
            foreach (string line in Lines(file))
            {
                (int writer, int number) = RawProgram.Check(line);
                seen.Add((writer, number)).ShouldBeTrue("a line is there twice");
                number.ShouldBeGreaterThan(lastInFile.GetValueOrDefault(writer, -1));
                lastInFile[writer] = number;
                next[writer]++;
            }
        }

        next.ShouldAllBe(n => n == count);
    }

    private static IEnumerable<string> Lines(string file)
    {
        using FileStream bytes = File.OpenRead(file);
        using Stream content = file.EndsWith(".gz", StringComparison.Ordinal) ? new GZipStream(bytes, CompressionMode.Decompress) : bytes;
        using StreamReader text = new(content);
        while (text.ReadLine() is { } line)
        {
            yield return line;
        }
    }

    [Fact]
    public async Task A_writer_of_another_process_is_found()
    {
        using TempFolder folder = new();
        using ChildProcess child = new("append", folder.Log, $"{LogDurability.Written}");
        (await child.Output.ReadLineAsync()).ShouldBe("open 1");
        Should.Throw<IOException>(() => SluiceLog.Open(folder.Log)).Message.ShouldContain("another writer");

        // And its records are read while it writes.
        using SluiceLogReader reader = new(folder.Log);
        int count = 0;
        await foreach (SluiceLogRecord record in reader.FollowAsync())
        {
            _ = Records.Check(record.Bytes.Span);
            record.Sequence.ShouldBe(++count);
            if (count == 5000)
            {
                break;
            }
        }
    }
}
