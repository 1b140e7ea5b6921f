using System.Diagnostics;
using System.IO.Compression;
using static Sluice.Log.Tests.Support.CompressedLog;

namespace Sluice.Log.Tests;

/// <summary>Segments that are compressed behind the writer's back, and what is left where that ends too early.</summary>
public sealed class CompressionTests
{
    [Fact]
    public void A_compressed_log_is_read_as_it_was_appended()
    {
        using TempFolder folder = new();
        DateTimeOffset middle = default;
        using (SluiceLog log = SluiceLog.Open(folder.Log, Options()))
        {
            for (int i = 0; i < Count; i++)
            {
                if (i == Count / 2)
                {
                    Thread.Sleep(20);
                    middle = DateTimeOffset.UtcNow;
                }

                log.Append(Records.Make(0, i, 100), LogDurability.Durable);
            }

            AwaitCompressed(folder, "slog");
            log.LastError.ShouldBeNull();
        }

        Directory.GetFiles(folder.Log, "*.gz").Length.ShouldBeGreaterThan(5);
        Directory.GetFiles(folder.Log, "*.tmp").ShouldBeEmpty();
        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Count.ShouldBe(Count);
        Records.ShouldBeInOrder(records, 1, 0);
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromSequence = 77 }), 77, 76);
        List<(long Sequence, byte[] Bytes)> later = Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromTime = middle });
        later.Count.ShouldBeInRange(Count / 2, Count - 1);
        Records.ShouldBeInOrder(later, Count - later.Count + 1, Count - later.Count);
        using SluiceLog again = SluiceLog.Open(folder.Log, Options());
        again.NextSequence.ShouldBe(Count + 1);
        again.FirstSequence.ShouldBe(1);
        again.Cut.ShouldBeNull();
    }

    [Theory]
    [InlineData(LogFormat.Framed, CompressionLevel.Optimal)]
    [InlineData(LogFormat.Framed, CompressionLevel.SmallestSize)]
    [InlineData(LogFormat.Raw, CompressionLevel.Fastest)]
    public void What_gzip_makes_of_it_is_the_file_as_it_was_and_what_is_full_at_the_opening_is_compressed(
        LogFormat format, CompressionLevel level)
    {
        if (format == LogFormat.Raw && !OperatingSystem.IsLinux())
        {
            Should.Throw<PlatformNotSupportedException>(() => SluiceLog.Open("x", Options(format, level)));
            return;
        }

        using TempFolder folder = new();
        string extension = format == LogFormat.Raw ? "log" : "slog";
        Fill(folder.Log, Options(format, CompressionLevel.NoCompression));
        Dictionary<string, byte[]> files = Directory.GetFiles(folder.Log, "*." + extension).ToDictionary(static f => f, File.ReadAllBytes);
        Dictionary<string, DateTime> times = files.Keys.ToDictionary(static f => f, File.GetLastWriteTimeUtc);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(files.Keys.Min()!, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead);
        }

        using (SluiceLog log = SluiceLog.Open(folder.Log, Options(format, level)))
        {
            AwaitCompressed(folder, extension);
            log.LastError.ShouldBeNull();
        }

        string[] compressed = Directory.GetFiles(folder.Log, "*.gz");
        compressed.Length.ShouldBeGreaterThan(5);
        foreach (string file in compressed)
        {
            using GZipStream content = new(File.OpenRead(file), CompressionMode.Decompress);
            using MemoryStream bytes = new();
            content.CopyTo(bytes);
            bytes.ToArray().ShouldBe(files[file[..^3]]);
            File.GetLastWriteTimeUtc(file).ShouldBe(times[file[..^3]]);
        }

        if (!OperatingSystem.IsWindows())
        {
            File.GetUnixFileMode(compressed.Min()!).ShouldBe(UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead);
        }
    }

    [SkippableFact]
    public void A_compressed_segment_is_read_by_no_more_users_than_the_original()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "Only root may give files to others.");
        using TempFolder folder = new();
        Fill(folder.Log, Options(LogFormat.Framed, CompressionLevel.NoCompression));
        string first = Directory.GetFiles(folder.Log, "*.slog").Min()!;
        Run("chown", "1234:2345", first);
        Run("chmod", "0640", first);
        using (SluiceLog log = SluiceLog.Open(folder.Log, Options(LogFormat.Framed, CompressionLevel.Fastest)))
        {
            AwaitCompressed(folder, "slog");
            log.LastError.ShouldBeNull();
        }

        Run("stat", "-c", "%u:%g %a", first + ".gz").ShouldBe("1234:2345 640");
    }

    private static string Run(string program, params string[] arguments)
    {
        ProcessStartInfo start = new(program, arguments) { RedirectStandardOutput = true, UseShellExecute = false };
        using Process process = Process.Start(start)!;
        string output = process.StandardOutput.ReadToEnd();
        process.WaitForExit();
        process.ExitCode.ShouldBe(0);
        return output.Trim();
    }

    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void A_crash_at_any_step_leaves_one_whole_copy_and_the_next_opening_nothing_else(LogFormat format)
    {
        Skip.If(format == LogFormat.Raw && !OperatingSystem.IsLinux(), "Raw logs are compressed on Linux alone.");
        using TempFolder folder = new(isInMemory: true);
        const int count = 80;
        Fill(folder.Log, Options(format, CompressionLevel.NoCompression), count: count);
        string extension = format == LogFormat.Raw ? "log" : "slog";
        byte[] all = Content(folder.Log, extension);
        List<(string Step, string Folder)> crashed = [];
        SluiceLogOptions options = Options(format, step: step =>
        {
            string to = Path.Combine(folder.Root, $"{crashed.Count}");
            Directory.CreateDirectory(to);
            foreach (string file in Directory.GetFiles(folder.Log))
            {
                File.Copy(file, Path.Combine(to, Path.GetFileName(file)));
                File.SetLastWriteTimeUtc(Path.Combine(to, Path.GetFileName(file)), File.GetLastWriteTimeUtc(file));
            }

            crashed.Add((step, to));
        });
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            AwaitCompressed(folder, extension);
        }

        crashed.Select(static c => c.Step).Distinct().Order(StringComparer.Ordinal)
            .ShouldBe(["begin", "flushed", "name", "named", "remove", "removed", "written"]);
        crashed.Any(static c => Directory.GetFiles(c.Folder, "*.tmp").Length > 0).ShouldBeTrue();
        crashed.Any(c => Directory.GetFiles(c.Folder, "*.gz").Any(static gz => File.Exists(gz[..^3]))).ShouldBeTrue();
        foreach ((string step, string copy) in crashed)
        {
            if (format == LogFormat.Framed)
            {
                Records.ShouldBeInOrder(Records.ReadAll(copy), 1, 0);
                Records.ReadAll(copy).Count.ShouldBe(count, step);
            }

            using (SluiceLog log = SluiceLog.Open(copy, Options(format, CompressionLevel.NoCompression)))
            {
                log.Cut.ShouldBeNull(step);
            }

            Directory.GetFiles(copy, "*.tmp").ShouldBeEmpty(step);
            Directory.GetFiles(copy, "*.gz").Where(static gz => File.Exists(gz[..^3])).ShouldBeEmpty(step);
            Content(copy, extension).ShouldBe(all, step);
            using (SluiceLog log = SluiceLog.Open(copy, Options(format)))
            {
                AwaitCompressed(copy, extension);
            }

            Content(copy, extension).ShouldBe(all, step);
        }
    }

    [Fact]
    public void Both_ends_of_a_compressed_log_are_cut_as_those_of_any_other()
    {
        using TempFolder folder = new();
        Fill(folder.Log, Options(), LogDurability.Durable, awaited: true);
        using (SluiceLog log = SluiceLog.Open(folder.Log, Options()))
        {
            int before = Directory.GetFiles(folder.Log, "*.gz").Length;
            log.TruncateBefore(Count / 2).ShouldBeGreaterThan(1);
            Directory.GetFiles(folder.Log, "*.gz").Length.ShouldBeLessThan(before);
            long first = log.FirstSequence;
            first.ShouldBeInRange(2, Count / 2);
            log.TruncateAfter(first + 4);
            log.Append(Records.Make(0, (int)first + 4, 100), LogDurability.Durable).ShouldBe(first + 5);
            List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
            records.Count.ShouldBe(6);
            Records.ShouldBeInOrder(records, first, (int)first - 1);
        }

        using SluiceLog again = SluiceLog.Open(folder.Log, Options());
        again.NextSequence.ShouldBe(again.FirstSequence + 6);
        Directory.GetFiles(folder.Log, "*.gz").Length.ShouldBe(1);
    }

    [Theory]
    [InlineData(LogFormat.Framed, "slog")]
    [InlineData(LogFormat.Raw, "log")]
    public void Retention_counts_what_is_left_of_a_segment(LogFormat format, string extension)
    {
        if (format == LogFormat.Raw && !OperatingSystem.IsLinux())
        {
            return;
        }

        using TempFolder folder = new();
        SluiceLogOptions options = new()
        {
            Format = format,
            Compression = CompressionLevel.Optimal,
            SegmentBytes = 64 * 1024,
            MaxRecordBytes = 1000,
            Preallocate = false,
            RetainBytes = 200 * 1024,
        };
        byte[] record = new byte[1000];
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            for (int segment = 0; segment < 20; segment++)
            {
                for (int i = 0; i < 70; i++)
                {
                    log.Append(record);
                }

                log.Flush();
                AwaitCompressed(folder, extension);
            }
        }

        // Without compression four of them were too large.
        Directory.GetFiles(folder.Log, "*.gz").Length.ShouldBeGreaterThan(15);
        using SluiceLog last = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Format = format, SegmentBytes = 4096, MaxRecordBytes = 1000, RetainBytes = 0 });
        SpinWait.SpinUntil(
            () =>
            {
                last.Append(record);
                return Directory.GetFiles(folder.Log, "*.gz").Length == 0;
            },
            TimeSpan.FromMinutes(1)).ShouldBeTrue();
    }

    [Fact]
    public void A_copy_that_cannot_be_written_leaves_the_segment_and_the_log_goes_on()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        bool isFailing = true;
        int failed = 0;
        SluiceLogOptions options = Options(engine: engine, step: step =>
        {
            if (step == "written" && Volatile.Read(ref isFailing))
            {
                Interlocked.Increment(ref failed);
                throw new IOException("no space for the copy");
            }
        });
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            for (int i = 0; i < Count; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            SpinWait.SpinUntil(() => Volatile.Read(ref failed) > 0, TimeSpan.FromMinutes(1)).ShouldBeTrue();
            Directory.GetFiles(folder.Log, "*.gz").ShouldBeEmpty();
            Volatile.Write(ref isFailing, false);
            SpinWait.SpinUntil(
                () =>
                {
                    log.Append(Records.Make(0, (int)log.NextSequence - 1, 900));
                    return Directory.GetFiles(folder.Log, "*.slog").Length <= 3;
                },
                TimeSpan.FromMinutes(1)).ShouldBeTrue();
            log.LastError!.Message.ShouldBe("no space for the copy");
        }

        Directory.GetFiles(folder.Log, "*.tmp").ShouldBeEmpty();
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
    }

    [Fact]
    public async Task A_follower_sees_every_record_while_segments_are_compressed_and_removed()
    {
        const int count = 6_000;
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, Options());
        Task<int>[] followers = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(FollowAsync))];
        for (int i = 0; i < count; i++)
        {
            log.Append(Records.Make(0, i, 40), i % 8 == 0 ? LogDurability.Written : LogDurability.Buffered);
        }

        log.Flush(LogDurability.Written);
        (await Task.WhenAll(followers).WaitAsync(TimeSpan.FromMinutes(3))).ShouldAllBe(n => n == count);
        AwaitCompressed(folder, "slog");
        log.LastError.ShouldBeNull();

        async Task<int> FollowAsync()
        {
            int number = 0;
            while (number < count)
            {
                // A new one from time to time: it looks for its segment anew.
                using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { FromSequence = number + 1 });
                int until = Math.Min(count, number + 977);
                await foreach (SluiceLogRecord record in reader.FollowAsync())
                {
                    record.Sequence.ShouldBe(number + 1);
                    Records.Check(record.Bytes.Span).Number.ShouldBe(number);
                    if (++number == until)
                    {
                        break;
                    }
                }
            }

            return number;
        }
    }

    [SkippableFact]
    public void What_another_log_may_still_append_to_is_not_compressed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Raw logs are compressed on Linux alone.");
        using TempFolder folder = new();
        using SluiceLog other = SluiceLog.Open(folder.Log, Options(LogFormat.Raw, CompressionLevel.NoCompression));
        other.Append("other\n"u8);
        string first = Path.Combine(folder.Log, "0000000001.log");
        using (SluiceLog log = SluiceLog.Open(folder.Log, Options(LogFormat.Raw)))
        {
            for (int i = 0; i < 100; i++)
            {
                log.Append(new byte[500]);
            }

            log.Flush();
            SpinWait.SpinUntil(() => Directory.GetFiles(folder.Log, "*.gz").Length > 5, TimeSpan.FromMinutes(1)).ShouldBeTrue();
            File.Exists(first).ShouldBeTrue();
            File.Exists(first + ".gz").ShouldBeFalse();
            other.Append("again\n"u8);
            other.Flush();
            SpinWait.SpinUntil(() =>
            {
                log.Append(new byte[500], LogDurability.Durable);
                return File.Exists(first + ".gz") && !File.Exists(first);
            }, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        }
    }
}
