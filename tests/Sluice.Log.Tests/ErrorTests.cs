using Sluice.Kernel;
using Sluice.Tests.Shared;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Errors of the operating system: who is told, what becomes of the records, and how it goes on.</summary>
[Collection(nameof(AloneCollection))]
public sealed class ErrorTests
{
    private static SluiceLogOptions With(IoEngine engine, LogDurability durability = LogDurability.Written) => new()
    {
        Engine = engine,
        Durability = durability,
        MaxRecordBytes = 4000,
        BufferBytes = 16_000,
        FlushInterval = TimeSpan.FromHours(1),
        Preallocate = false,
    };

    [Fact]
    public async Task A_full_disk_reaches_each_append_and_what_failed_is_not_in_the_log()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using (SluiceLog log = folder.Open(With(engine)))
        {
            log.Append(Records.Make(0, 0, 100));
            engine.WriteErrno = FailingEngine.ENOSPC;
            log.Append(Records.Make(0, 1, 100), LogDurability.Buffered);
            IOException error = Should.Throw<IOException>(() => log.Append(Records.Make(7, 0, 100)));
            error.HResult.ShouldBe(FailingEngine.ENOSPC);
            error.Message.ShouldContain(folder.Log);
            Task<long>[] tasks = [.. Enumerable.Range(0, 5).Select(i => log.AppendAsync(Records.Make(7, i, 100)).AsTask())];
            Task<long> durable = log.AppendAsync(Records.Make(7, 9, 100), LogDurability.Durable).AsTask();
            foreach (Task<long> task in (Task<long>[])[.. tasks, durable])
            {
                (await Should.ThrowAsync<IOException>(() => task)).HResult.ShouldBe(FailingEngine.ENOSPC);
            }

            Should.Throw<IOException>(() => log.Flush());
            log.LastError.ShouldBeOfType<IOException>();
            log.Failure.ShouldBeNull();
            engine.WriteErrno = 0;

            // Space is back: what was only buffered is written after all.
            log.Append(Records.Make(0, 2, 100));
            log.Flush();
        }

        List<(long Sequence, byte[] Bytes)> records = folder.ReadAll();
        records.Select(static r => Records.Check(r.Bytes)).ShouldBe([(0, 0), (0, 1), (0, 2)]);
        using SluiceLog again = folder.Open();
        again.Cut.ShouldBeNull();
        again.NextSequence.ShouldBe(records[^1].Sequence + 1);
    }

    [Fact]
    public void Full_memory_behind_a_full_disk_is_an_error_and_no_wait()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using SluiceLog log = folder.Open(With(engine, LogDurability.Buffered));
        log.Append(Records.Make(0, 0, 100), LogDurability.Written);
        engine.WriteErrno = FailingEngine.ENOSPC;
        int appended = 1;
        IOException error = Should.Throw<IOException>(() =>
        {
            for (; appended < 1000; appended++)
            {
                log.Append(Records.Make(0, appended, 900));
            }
        });
        error.HResult.ShouldBe(FailingEngine.ENOSPC);
        engine.WriteErrno = 0;
        log.Flush();
        folder.ShouldHave(appended);
    }

    /// <summary>What stands in a file without a name does not survive the process: whoever goes on appending hears of it.</summary>
    [SkippableFact]
    public void A_deleted_folder_is_no_place_for_written_records()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        SluiceLog log = folder.Open(new SluiceLogOptions { Preallocate = false });
        log.Append("here"u8);
        Directory.Delete(folder.Log, recursive: true);
        Exception? error = null;
        Threads.WaitUntil(() =>
        {
            Thread.Sleep(20);
            error = Record.Exception(() => log.Append("nowhere"u8));
            return error is not null;
        });
        error.ShouldBeOfType<IOException>().Message.ShouldContain(folder.Log);
        Should.Throw<IOException>(() => log.Append("nowhere"u8)).Message.ShouldContain(folder.Log);
        Should.Throw<IOException>(log.Dispose);
    }

    /// <summary>A durable record is in the log's folder, or its append fails.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_segment_that_was_moved_away_takes_no_durable_record(bool isReplaced)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        SluiceLog log = folder.Open(new SluiceLogOptions { Preallocate = false });
        log.Append("here"u8, LogDurability.Durable);
        string segment = folder.Segments.Single();
        string moved = Path.Combine(folder.Root, "moved away");
        File.Move(segment, moved);
        if (isReplaced)
        {
            File.Copy(moved, segment);
        }

        Should.Throw<IOException>(() => log.Append("nowhere"u8, LogDurability.Durable)).Message.ShouldContain("deleted");
        log.DurableSequence.ShouldBe(1);
        Should.Throw<IOException>(() => log.Append("nowhere"u8, LogDurability.Durable));
        Should.Throw<IOException>(log.Dispose);
        if (!isReplaced)
        {
            File.Move(moved, segment);
        }

        using SluiceLog again = folder.Open();
        again.Append("next"u8, LogDurability.Durable);
        folder.ReadAll()[^1].Bytes.ShouldBe("next"u8.ToArray());
    }

    /// <summary>The file that has the log's name takes the next one; what was moved away is not in the log.</summary>
    [SkippableFact]
    public void A_raw_file_that_was_moved_away_takes_no_durable_record()
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Format = LogFormat.Raw });
        log.Append("here\n"u8, LogDurability.Durable);
        string file = folder.Files.Single();
        File.Move(file, Path.Combine(folder.Root, "moved away"));
        Should.Throw<IOException>(() => log.Append("nowhere\n"u8, LogDurability.Durable)).Message.ShouldContain("moved away");
        log.Failure.ShouldBeNull();
        log.Append("next\n"u8, LogDurability.Durable);
        folder.Files.Select(File.ReadAllText).ShouldBe(["next\n"]);
    }

    /// <summary>The file that was moved away is full, and the records after it are in another one.</summary>
    /// <param name="isReplaced">Whether a copy has its name.</param>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void Records_of_a_full_raw_file_that_was_moved_away_are_not_durable(bool isReplaced)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.With(LogFormat.Raw));
        log.AppendMany(0, 1, 900, LogDurability.Durable);
        string file = folder.RawFiles.Single();
        string moved = Path.Combine(folder.Root, "moved away");
        File.Move(file, moved);
        if (isReplaced)
        {
            File.Copy(moved, file);
        }

        // The log's own thread syncs the full file, and nobody waits for that.
        log.AppendMany(1, 6, 900, LogDurability.Written);
        folder.RawFiles.Length.ShouldBe(isReplaced ? 2 : 1);
        Should.Throw<IOException>(() => log.Flush()).Message.ShouldContain("moved away");
        log.Failure.ShouldBeNull();
        log.AppendMany(7, 1, 900, LogDurability.Durable);
        log.Flush();
    }

    /// <summary>What the file system finds too large (EFBIG) is an argument out of range for .NET, and none of the caller's.</summary>
    [SkippableFact]
    public void What_is_too_large_for_the_file_system_is_an_error_of_the_system()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        log.Append("here"u8);
        SystemCallFaults.Use((call, fd, length) => call == "pwrite" && length > 0 ? -27 : 0);
        Should.Throw<IOException>(() => log.Append("nowhere"u8)).HResult.ShouldBe(27);
        Should.Throw<IOException>(() => log.TruncateAfter(0)).HResult.ShouldBe(27);
        SystemCallFaults.Use(null);
        log.Failure.ShouldBeNull();
        log.TruncateAfter(0);
        log.NextSequence.ShouldBe(1);
    }

    /// <summary>The file system allows no longer file (EFBIG), and takes a part of the record that reaches the limit.</summary>
    [SkippableTheory]
    [InlineData(LogFormat.Framed, 0)]
    [InlineData(LogFormat.Framed, 50)]
    [InlineData(LogFormat.Raw, 0)]
    [InlineData(LogFormat.Raw, 50)]
    public void A_file_that_cannot_become_longer_is_followed_by_another_one(LogFormat format, int left)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        byte[][] records = [.. Enumerable.Range(0, 6).Select(static i => Records.Make(0, i, 200))];
        using (SluiceLog log = folder.Open(new SluiceLogOptions { Format = format, Durability = LogDurability.Durable, Preallocate = false }))
        {
            log.Append(records[0]);
            string full = Directory.GetFiles(folder.Log, "0000000001*").ShouldHaveSingleItem();
            long limit = new FileInfo(full).Length + left;
            SystemCallFaults.Use((call, fd, length) =>
            {
                long room = call is "pwrite" or "write" && length > 0 && OpenFiles.NameOf(fd) == full ? limit - new FileInfo(full).Length : length;
                return room >= length ? 0 : room > 0 ? room : -27;
            });
            foreach (byte[] record in records[1..])
            {
                log.Append(record);
            }

            SystemCallFaults.Use(null);
            log.Failure.ShouldBeNull();
            Directory.GetFiles(folder.Log, "0000000002*").ShouldHaveSingleItem();
        }

        if (format == LogFormat.Framed)
        {
            folder.ShouldHave(6);
            using SluiceLog again = folder.Open();
            again.Cut.ShouldBeNull();
        }
        else
        {
            folder.RawFiles.SelectMany(File.ReadAllBytes).ShouldBe(records.SelectMany(static r => r));
        }
    }

    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void A_file_in_place_of_the_directory_is_refused_by_name(LogFormat format)
    {
        using TempFolder folder = new();
        File.WriteAllText(folder.Log, "a file");
        IOException error = Should.Throw<IOException>(() => folder.Open(new SluiceLogOptions { Format = format }));
        error.Message.ShouldContain($"'{folder.Log}' failed: it is a file, and a log needs a directory");
        File.ReadAllText(folder.Log).ShouldBe("a file");
    }

    /// <summary>An error of close(2) reaches the caller of Dispose.</summary>
    [SkippableTheory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public void An_error_of_closing_a_file_is_reported_once(LogFormat format)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = folder.Open(new SluiceLogOptions { Format = format, Preallocate = false });
        log.Append("here"u8, LogDurability.Durable);
        string name = Directory.GetFiles(folder.Log, "0000000001*").Single();
        SystemCallFaults.Use((call, fd, _) => call == "close" && OpenFiles.NameOf(fd) == name ? -FailingEngine.EIO : 0);
        IOException error = Should.Throw<IOException>(log.Dispose);
        SystemCallFaults.Use(null);
        error.HResult.ShouldBe(FailingEngine.EIO);
        log.Dispose();
        OpenFiles.Of(folder.Log).ShouldBeEmpty();
        folder.Open(new SluiceLogOptions { Format = format }).Dispose();
    }

    /// <summary>The oldest segment cannot be deleted: it is emptied, and the others are deleted.</summary>
    [SkippableFact]
    public void A_segment_that_cannot_be_deleted_does_not_stop_retention()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 20, 900, LogDurability.Durable);

            int removals = 0;
            SystemCallSteps.UseOwn((call, _, _) =>
                call == "unlinkat" && removals++ == 0 ? -13 : 0);
            Should.Throw<UnauthorizedAccessException>(() => log.TruncateBefore(13));
            SystemCallFaults.Use(null);
            removals.ShouldBeGreaterThan(1);
            log.FirstSequence.ShouldBeGreaterThan(8);
            new FileInfo(folder.PathOf("0000000001.slog")).Length.ShouldBe(0);
            folder.ReadAll()[0].Sequence.ShouldBe(log.FirstSequence);
        }

        using SluiceLog again = folder.Open(SmallLog.Options);
        again.NextSequence.ShouldBe(21);
        File.Exists(folder.PathOf("0000000001.slog")).ShouldBeFalse();
    }

    /// <summary>If the segment were forgotten, the next removal would leave a gap before it.</summary>
    [SkippableFact]
    public void A_segment_that_can_neither_be_deleted_nor_looked_at_stays_the_oldest()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 20, 900, LogDurability.Durable);
            log.TruncateBefore(1).ShouldBe(0);
            SystemCallSteps.UseOwn((call, _, _) => call switch
            {
                "unlinkat" => -13,
                "statx" or "fstat" => -FailingEngine.EIO,
                _ => 0,
            });
            Should.Throw<UnauthorizedAccessException>(() => log.TruncateBefore(9));
            SystemCallFaults.Use(null);
            log.FirstSequence.ShouldBe(1);
            log.TruncateBefore(13).ShouldBe(3);
        }

        folder.ShouldEndWith(20).ShouldBe(13);
        folder.Open(SmallLog.Options).Dispose();
    }

    [SkippableFact]
    public void A_raw_file_that_cannot_be_removed_does_not_stop_retention()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        folder.Clear();
        for (int i = 1; i <= 4; i++)
        {
            File.WriteAllBytes(folder.PathOf($"000000000{i}.log"), new byte[5000]);
        }

        int removals = 0;
        SystemCallFaults.Use((call, _, _) => call == "unlinkat" && removals++ == 0 ? -13 : 0);
        using SluiceLog log = folder.Open(SmallLog.With(o => (o.Format, o.RetainSegments) = (LogFormat.Raw, 2)));
        Threads.WaitUntil(() => log.LastError is not null);
        SystemCallFaults.Use(null);
        folder.RawFiles.Select(Path.GetFileName).ShouldBe(["0000000001.log", "0000000003.log", "0000000004.log"]);
    }

    [Fact]
    public void Closing_a_log_that_cannot_be_written_says_so_and_frees_it()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = folder.Open(With(engine, LogDurability.Buffered));
        log.Append("first"u8, LogDurability.Durable);
        engine.WriteErrno = FailingEngine.EIO;
        log.Append("second"u8);
        Should.Throw<IOException>(log.Dispose).HResult.ShouldBe(FailingEngine.EIO);
        using SluiceLog again = folder.Open();
        again.NextSequence.ShouldBe(2);
    }
}
