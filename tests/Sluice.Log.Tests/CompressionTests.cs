using System.Diagnostics;
using System.IO.Compression;
using static Sluice.Log.Tests.Support.CompressedLog;

namespace Sluice.Log.Tests;

/// <summary>Files of a raw log that are compressed behind the writer's back, and what is left where that ends too early.</summary>
public sealed class CompressionTests
{
    [Theory]
    [InlineData(CompressionLevel.Optimal)]
    [InlineData(CompressionLevel.SmallestSize)]
    [InlineData(CompressionLevel.Fastest)]
    public void What_gzip_makes_of_it_is_the_file_as_it_was_and_what_is_full_at_the_opening_is_compressed(CompressionLevel level)
    {
        if (!OperatingSystem.IsLinux())
        {
            Should.Throw<PlatformNotSupportedException>(() => SluiceLog.Open("x", Options(level)));
            return;
        }

        using TempFolder folder = new();
        const string extension = "log";
        Fill(folder.Log, Options(CompressionLevel.NoCompression));
        Dictionary<string, byte[]> files = Directory.GetFiles(folder.Log, "*." + extension).ToDictionary(static f => f, File.ReadAllBytes);
        Dictionary<string, DateTime> times = files.Keys.ToDictionary(static f => f, File.GetLastWriteTimeUtc);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(files.Keys.Min()!, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead);
        }

        using (SluiceLog log = SluiceLog.Open(folder.Log, Options(level)))
        {
            AwaitCompressed(folder, "log");
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
        Fill(folder.Log, Options(CompressionLevel.NoCompression));
        string first = Directory.GetFiles(folder.Log, "*.log").Min()!;
        Run("chown", "1234:2345", first);
        Run("chmod", "0640", first);
        using (SluiceLog log = SluiceLog.Open(folder.Log, Options(CompressionLevel.Fastest)))
        {
            AwaitCompressed(folder, "log");
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

    [SkippableFact]
    public void A_crash_at_any_step_leaves_one_whole_copy_and_the_next_opening_nothing_else()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Raw logs are compressed on Linux alone.");
        using TempFolder folder = new(isInMemory: true);
        const int count = 80;
        Fill(folder.Log, Options(CompressionLevel.NoCompression), count: count);
        const string extension = "log";
        byte[] all = Content(folder.Log, extension);
        List<(string Step, string Folder)> crashed = [];
        SluiceLogOptions options = Options(step: step =>
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
            AwaitCompressed(folder, "log");
        }

        crashed.Select(static c => c.Step).Distinct().Order(StringComparer.Ordinal)
            .ShouldBe(["begin", "flushed", "name", "named", "remove", "removed", "written"]);
        crashed.Any(static c => Directory.GetFiles(c.Folder, "*.tmp").Length > 0).ShouldBeTrue();
        crashed.Any(c => Directory.GetFiles(c.Folder, "*.gz").Any(static gz => File.Exists(gz[..^3]))).ShouldBeTrue();
        foreach ((string step, string copy) in crashed)
        {
            using (SluiceLog log = SluiceLog.Open(copy, Options(CompressionLevel.NoCompression)))
            {
                log.Cut.ShouldBeNull(step);
            }

            Directory.GetFiles(copy, "*.tmp").ShouldBeEmpty(step);
            Directory.GetFiles(copy, "*.gz").Where(static gz => File.Exists(gz[..^3])).ShouldBeEmpty(step);
            Content(copy, extension).ShouldBe(all, step);
            using (SluiceLog log = SluiceLog.Open(copy, Options()))
            {
                AwaitCompressed(copy, "log");
            }

            Content(copy, extension).ShouldBe(all, step);
        }
    }

    [SkippableFact]
    public void Retention_counts_what_is_left_of_a_segment()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Raw logs are compressed on Linux alone.");
        const LogFormat format = LogFormat.Raw;
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
                AwaitCompressed(folder, "log");
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

    [SkippableFact]
    public void What_another_log_may_still_append_to_is_not_compressed()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "Raw logs are compressed on Linux alone.");
        using TempFolder folder = new();
        using SluiceLog other = SluiceLog.Open(folder.Log, Options(CompressionLevel.NoCompression));
        other.Append("other\n"u8);
        string first = Path.Combine(folder.Log, "0000000001.log");
        using (SluiceLog log = SluiceLog.Open(folder.Log, Options()))
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
