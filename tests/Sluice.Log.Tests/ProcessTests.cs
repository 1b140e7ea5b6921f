using System.Globalization;
using System.IO.Compression;
using Xunit.Abstractions;

namespace Sluice.Log.Tests;

/// <summary>Logs of processes that are killed, and of several at once.</summary>
[Trait("Tier", "slow")]
public sealed class ProcessTests(ITestOutputHelper output)
{
    /// <summary>How many of each kind: SLUICE_KILLS asks for more, and each costs the start of a process.</summary>
    private static readonly int Kills =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_KILLS"), CultureInfo.InvariantCulture, out int kills) && kills > 0
            ? kills
            : 3;

    /// <summary>When a process is killed; SLUICE_LOG_SEED asks for other moments.</summary>
    private static readonly int Seed =
        int.TryParse(Environment.GetEnvironmentVariable("SLUICE_LOG_SEED"), CultureInfo.InvariantCulture, out int seed) ? seed : 31;

    /// <summary>All of a log is read after each kill, so that a log that is never begun anew costs more with each.</summary>
    private const int KillsOfALog = 20;

    /// <summary>What is reserved ahead is a favour: the limit of files' sizes ends nobody's process for it.</summary>
    [SkippableFact]
    public async Task A_log_works_where_files_may_not_be_as_long_as_its_segments()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using ChildProcess child = new("limited", folder.Root);
        (_, int exitCode, string errors) = await child.FinishAsync();
        exitCode.ShouldBe(0, errors);
        folder.ReadAll().Count.ShouldBe(LimitedProgram.RecordCount);
    }

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public async Task A_killed_process_loses_nothing_that_it_was_acknowledged(LogDurability durability)
    {
        Random random = new(Seed);
        (int killed, long acknowledged) = (0, 0);
        while (killed < Kills)
        {
            int kills = Math.Min(KillsOfALog, Kills - killed);
            acknowledged += await KillAsync(kills, durability, random);
            killed += kills;
        }

        killed.ShouldBe(Kills);
        output.WriteLine($"seed {Seed}: {killed} kills, {acknowledged} records acknowledged as {durability}");
    }

    /// <summary>Kills the writers of a log one after another; each goes on with what the last one left. How many records they were
    /// told of.</summary>
    private static async Task<int> KillAsync(int kills, LogDurability durability, Random random)
    {
        using TempFolder folder = new();
        Dictionary<long, (int Writer, int Number)> acknowledged = [];
        for (int kill = 0; kill < kills; kill++)
        {
            using ChildProcess child = new("append", folder.Log, $"{durability}");
            string? first = await child.ReadLineAsync();
            if (first is null)
            {
                Assert.Fail((await child.FinishAsync()).Errors);
            }

            first.ShouldStartWith("open ");
            List<string> lines = [];
            for (int i = 0; i < 3; i++)
            {
                lines.Add((await child.ReadLineAsync()).ShouldNotBeNull());
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
            foreach ((long sequence, byte[] bytes) in folder.ReadWritten())
            {
                sequence.ShouldBeGreaterThan(last);
                last = sequence;
                found.Add(sequence, Records.Check(bytes));
            }

            found.Count.ShouldBe((int)last);

            foreach ((long sequence, (int Writer, int Number) record) in acknowledged)
            {
                found.ShouldContainKey(sequence);
                found[sequence].ShouldBe(record);
            }
        }

        acknowledged.Count.ShouldBeGreaterThanOrEqualTo(3 * kills);
        using SluiceLog log = folder.Open();
        log.NextSequence.ShouldBeGreaterThan(acknowledged.Keys.Max());
        return acknowledged.Count;
    }

    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task With_few_descriptors_left_a_log_is_refused_or_works_whole(LogFormat format)
    {
        Linux.OrSkip();
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
        long segmentBytes = compression == CompressionLevel.NoCompression ? 1024 * 1024 : 256 * 1024;
        using TempFolder folder = new();
        await WriteLinesAsync(folder, processes: 4, threads: 8, count: 1000, compression, segmentBytes);
        if (compression != CompressionLevel.NoCompression)
        {
            // What all of them had open until their ends is compressed by whoever comes next.
            using SluiceLog next = folder.Open(new SluiceLogOptions { Format = LogFormat.Raw, Compression = compression, SegmentBytes = segmentBytes });
            CompressedLog.AwaitCompressed(folder.Log);
        }

        string[] files = [.. Directory.GetFiles(folder.Log, "*.log*").Order(StringComparer.Ordinal)];
        files.Length.ShouldBeGreaterThan(1);
        files.Any(static f => f.EndsWith(".gz", StringComparison.Ordinal)).ShouldBe(compression != CompressionLevel.NoCompression);
        files.Any(f => files.Contains(f + ".gz")).ShouldBeFalse();
        CheckLines(files, writers: 4 * 8, count: 1000);
    }

    private static async Task WriteLinesAsync(
        TempFolder folder, int processes, int threads, int count, CompressionLevel compression, long segmentBytes)
    {
        ChildProcess[] children =
        [
            .. Enumerable.Range(0, processes).Select(
                p => new ChildProcess("raw", folder.Log, $"{p}", $"{threads}", $"{count}", $"{compression}", $"{segmentBytes}")),
        ];
        try
        {
            foreach (ChildProcess child in children)
            {
                (await child.ReadLineAsync()).ShouldBe("ready");
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

    }

    /// <summary>Each line is there once and whole, and those of one thread stand in their order in each file.</summary>
    private static void CheckLines(string[] files, int writers, int count)
    {
        int[] next = new int[writers];
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

    /// <summary>SLUICE_SOAK_MINUTES asks for more than five rounds, whose lines then stand in the test's output.</summary>
    [SkippableFact]
    public async Task Descriptors_threads_and_memory_stay_what_they_were()
    {
        Linux.OrSkip();
        int minutes = int.TryParse(Environment.GetEnvironmentVariable("SLUICE_SOAK_MINUTES"), CultureInfo.InvariantCulture, out int asked)
            ? asked
            : 0;
        using TempFolder folder = new();
        using ChildProcess child = new("soak", folder.Root, $"{minutes}");
        (string[] lines, int exitCode, string errors) = await child.FinishAsync(TimeSpan.FromMinutes(minutes + 15));
        exitCode.ShouldBe(0, string.Join('\n', lines.TakeLast(20)) + errors);
        lines.Length.ShouldBeGreaterThan(4);
        output.WriteLine(string.Join('\n', lines));
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
        (await child.ReadLineAsync()).ShouldBe("open 1");
        Should.Throw<IOException>(() => folder.Open()).Message.ShouldContain("another writer");

        // And its records are read while it writes. What it says is taken from it, or it would wait for that.
        Task<string> said = child.Output.ReadToEndAsync();
        using CancellationTokenSource patience = new(TimeSpan.FromMinutes(3));
        using SluiceLogReader reader = folder.OpenReader();
        int count = 0;
        await foreach (SluiceLogRecord record in reader.FollowAsync(patience.Token))
        {
            _ = Records.Check(record.Bytes.Span);
            record.Sequence.ShouldBe(++count);
            if (count == 5000)
            {
                break;
            }
        }

        child.Kill();
        _ = await said;
    }
}
