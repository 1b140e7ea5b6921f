using System.IO.Compression;
using Sluice.Log.Folders;
using Sluice.Uring;
using static Sluice.Log.Tests.Support.CompressedLog;

namespace Sluice.Log.Tests;

/// <summary>Files of a raw log that are compressed behind the writer's back, and what is left where that ends too early.</summary>
[Collection(nameof(AloneCollection))]
public sealed class CompressionTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

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
        Fill(folder.Log);
        Dictionary<string, byte[]> files = folder.RawFiles.ToDictionary(static f => f, File.ReadAllBytes);
        Dictionary<string, DateTime> times = files.Keys.ToDictionary(static f => f, File.GetLastWriteTimeUtc);
        if (!OperatingSystem.IsWindows())
        {
            File.SetUnixFileMode(files.Keys.Min()!, UnixFileMode.UserRead | UnixFileMode.UserWrite | UnixFileMode.OtherRead);
        }

        using (SluiceLog log = folder.Open(Options(level)))
        {
            AwaitCompressed(folder.Log);
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
    public void A_crash_at_any_step_leaves_one_whole_copy_and_the_next_opening_nothing_else()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        const int count = 80;
        Fill(folder.Log, count);
        byte[] all = Content(folder.Log);
        Dictionary<string, string> crashed = [];
        SystemCallFaults.Use((_, _, _) =>
        {
            // Before each call: each state of the folder once.
            lock (crashed)
            {
                string state = string.Join(' ', folder.Files.Select(static f => $"{Path.GetFileName(f)}:{new FileInfo(f).Length}"));
                string copy = Path.Combine(folder.Root, $"{crashed.Count}");
                if (crashed.TryAdd(state, copy))
                {
                    Directory.CreateDirectory(copy);
                    foreach (string file in folder.Files)
                    {
                        string to = Path.Combine(copy, Path.GetFileName(file));
                        File.Copy(file, to);
                        File.SetLastWriteTimeUtc(to, File.GetLastWriteTimeUtc(file));
                    }
                }
            }

            return 0;
        });
        using (SluiceLog log = folder.Open(Options()))
        {
            AwaitCompressed(folder.Log);
        }

        SystemCallFaults.Use(null);
        crashed.Keys.ShouldContain(static state => state.Contains(".tmp:0", StringComparison.Ordinal));
        crashed.Values.Any(static c => Directory.GetFiles(c, "*.gz").Any(static gz => File.Exists(gz[..^3]))).ShouldBeTrue();
        foreach ((string state, string copy) in crashed)
        {
            SluiceLog.Open(copy, Options(CompressionLevel.NoCompression)).Dispose();
            Directory.GetFiles(copy, "*.tmp").ShouldBeEmpty(state);
            Directory.GetFiles(copy, "*.gz").Where(static gz => File.Exists(gz[..^3])).ShouldBeEmpty(state);
            Content(copy).ShouldBe(all, state);
            using (SluiceLog log = SluiceLog.Open(copy, Options()))
            {
                AwaitCompressed(copy);
            }

            Content(copy).ShouldBe(all, state);
        }
    }

    [SkippableFact]
    public void Retention_counts_what_is_left_of_a_segment()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        SluiceLogOptions options = new()
        {
            Format = LogFormat.Raw,
            Compression = CompressionLevel.Optimal,
            SegmentBytes = 64 * 1024,
            MaxRecordBytes = 1000,
            Preallocate = false,
            RetainBytes = 200 * 1024,
        };
        byte[] record = new byte[1000];
        using (SluiceLog log = folder.Open(options))
        {
            for (int segment = 0; segment < 20; segment++)
            {
                for (int i = 0; i < 70; i++)
                {
                    log.Append(record);
                }

                log.Flush();
                AwaitCompressed(folder.Log);
            }
        }

        // Without compression four of them were too large.
        Directory.GetFiles(folder.Log, "*.gz").Length.ShouldBeGreaterThan(15);
        using SluiceLog last = folder.Open(SmallLog.With(o => (o.Format, o.RetainBytes) = (LogFormat.Raw, 0)));
        Threads.WaitUntil(() =>
            {
                last.Append(record);
                return Directory.GetFiles(folder.Log, "*.gz").Length == 0;
            });
    }

    [SkippableFact]
    public void What_another_log_may_still_append_to_is_not_compressed()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog other = folder.Open(Options(CompressionLevel.NoCompression));
        other.Append("other\n"u8);
        string first = folder.PathOf("0000000001.log");
        using (SluiceLog log = folder.Open(Options()))
        {
            for (int i = 0; i < 100; i++)
            {
                log.Append(new byte[500]);
            }

            log.Flush();
            Threads.WaitUntil(() => Directory.GetFiles(folder.Log, "*.gz").Length > 5);
            File.Exists(first).ShouldBeTrue();
            File.Exists(first + ".gz").ShouldBeFalse();
            other.Append("again\n"u8);
            other.Flush();
            Threads.WaitUntil(() =>
            {
                log.Append(new byte[500], LogDurability.Durable);
                return File.Exists(first + ".gz") && !File.Exists(first);
            });
        }
    }

    /// <summary>Another process has made the copy; it locks the original and removes it, before any system call of this one.</summary>
    [SkippableFact]
    public void A_copy_stays_if_another_process_removes_the_original_during_an_opening()
    {
        Linux.OrSkip();
        bool isOver = false;
        int removals = 0;
        for (int step = 0; !isOver; step++)
        {
            using TempFolder folder = new(isInMemory: true);
            Fill(folder.Log, 60);
            byte[] all = Content(folder.Log);
            string first = folder.RawFiles[0];
            string copy = first + ".gz";
            using (GZipStream compressed = new(File.Create(copy), CompressionLevel.Fastest))
            {
                compressed.Write(File.ReadAllBytes(first));
            }

            File.SetLastWriteTimeUtc(copy, File.GetLastWriteTimeUtc(first));
            isOver = !SystemCallSteps.At(
                step,
                () =>
                {
                    using SluiceHandle original = LogFile.Open(first, FileMode.Open, FileAccess.ReadWrite);
                    if (File.Exists(copy) && LogFile.LockNow(original, alone: true) == 0)
                    {
                        File.Delete(first);
                        removals++;
                    }
                },
                () => folder.Open(SmallLog.With(LogFormat.Raw)).Dispose());
            Content(folder.Log).SequenceEqual(all).ShouldBeTrue($"step {step}");
        }

        removals.ShouldBeGreaterThan(5);
    }
}
