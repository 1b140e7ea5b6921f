using Sluice.Kernel;
using Sluice.Tests.Shared;

namespace Sluice.Log.Tests;

/// <summary>Errors of the operating system: who is told, what becomes of the records, and how it goes on.</summary>
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
        using (SluiceLog log = SluiceLog.Open(folder.Log, With(engine)))
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
            engine.WriteErrno = 0;

            // Space is back: what was only buffered is written after all.
            log.Append(Records.Make(0, 2, 100));
            log.Flush();
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Select(static r => Records.Check(r.Bytes)).ShouldBe([(0, 0), (0, 1), (0, 2)]);
        using SluiceLog again = SluiceLog.Open(folder.Log);
        again.Cut.ShouldBeNull();
        again.NextSequence.ShouldBe(records[^1].Sequence + 1);
    }

    [Fact]
    public void The_newest_error_is_told_whatever_it_is_of()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        log.Append(Records.Make(0, 0, 100));
        engine.WriteErrno = FailingEngine.ENOSPC;
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 1, 100)));
        log.LastError!.HResult.ShouldBe(FailingEngine.ENOSPC);
        engine.WriteErrno = 0;
        engine.FailingFlushes = 1;
        log.Append(Records.Make(0, 2, 100), LogDurability.Durable);
        log.LastError!.HResult.ShouldBe(FailingEngine.EIO);
    }

    /// <summary>Nothing of a raw log is known to be durable behind a sync that failed: its full files are not kept open for that.</summary>
    [SkippableFact]
    public void A_raw_log_keeps_no_files_open_for_syncs_that_prove_nothing()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "/proc says what is open");
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            Engine = engine,
            Format = LogFormat.Raw,
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Durability = LogDurability.Written,
            WaitWhenFull = false,
        });
        log.Append(Records.Make(0, 0, 100));
        engine.FailingFlushes = 1;
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 1, 100), LogDurability.Durable));
        for (int i = 0; i < 1000; i++)
        {
            log.Append(Records.Make(0, i, 100));
        }

        SpinWait.SpinUntil(
            () => OpenFiles.Of(folder.Log).Count <= 3,
            TimeSpan.FromMinutes(1)).ShouldBeTrue();
        Should.Throw<IOException>(() => log.Append(Records.Make(0, 2, 100), LogDurability.Durable))
            .Message.ShouldContain("open the log anew");
        Should.Throw<IOException>(log.Dispose);
    }

    [Fact]
    public void Full_memory_behind_a_full_disk_is_an_error_and_no_wait()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine, LogDurability.Buffered));
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
        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Count.ShouldBe(appended);
        Records.ShouldBeInOrder(records, 1, 0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(3)]
    public void After_a_failed_sync_the_records_are_written_again_elsewhere(int goodSyncs)
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        int number = 0;
        using (SluiceLog log = SluiceLog.Open(folder.Log, With(engine)))
        {
            for (int s = 0; s < goodSyncs; s++)
            {
                log.Append(Records.Make(0, number++, 100), LogDurability.Durable);
            }

            log.Append(Records.Make(0, number++, 100), LogDurability.Written);
            log.Append(Records.Make(0, number++, 100), LogDurability.Buffered);
            engine.FailingFlushes = 1;
            log.Append(Records.Make(0, number++, 100), LogDurability.Durable);
            log.DurableSequence.ShouldBe(number);
            log.LastError.ShouldNotBeNull();
            Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBe(2);

            // What the failed sync was for is in the new segment: the old one's pages prove nothing.
            string old = Directory.GetFiles(folder.Log, "*.slog").Order(StringComparer.Ordinal).First();
            Wipe(old, from: 64 + 40 + (goodSyncs * 136));
            Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
            log.Append(Records.Make(0, number++, 100), LogDurability.Durable);
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Count.ShouldBe(number);
        Records.ShouldBeInOrder(records, 1, 0);
        using SluiceLog again = SluiceLog.Open(folder.Log);
        again.NextSequence.ShouldBe(number + 1);
    }

    [Fact]
    public void A_device_that_stays_broken_is_told_each_time_and_a_mended_one_goes_on()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, With(engine)))
        {
            log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
            engine.FailingFlushes = int.MaxValue;
            IOException error = Should.Throw<IOException>(() => log.Append(Records.Make(0, 1, 100), LogDurability.Durable));
            error.HResult.ShouldBe(FailingEngine.EIO);
            log.DurableSequence.ShouldBe(1);
            log.Append(Records.Make(0, 2, 100), LogDurability.Written);
            Should.Throw<IOException>(() => log.Flush());
            engine.FailingFlushes = 0;
            log.Append(Records.Make(0, 3, 100), LogDurability.Durable);
            log.DurableSequence.ShouldBe(4);

            // A sync that succeeds proves nothing of pages for which one failed before.
            string old = Directory.GetFiles(folder.Log, "*.slog").Order(StringComparer.Ordinal).First();
            Wipe(old, from: 64 + 40 + 136);
            Records.ReadAll(folder.Log).Count.ShouldBe(4);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
    }

    [SkippableFact]
    public void A_deleted_folder_is_no_place_for_durable_records()
    {
        Skip.If(OperatingSystem.IsWindows(), "Windows does not delete open files");
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log);
        log.Append("here"u8, LogDurability.Durable);
        Directory.Delete(folder.Log, recursive: true);
        Should.Throw<IOException>(() => log.Append("nowhere"u8, LogDurability.Durable)).Message.ShouldContain(folder.Log);
        log.DurableSequence.ShouldBe(1);
        Should.Throw<IOException>(log.Dispose);
    }

    /// <summary>What stands in a file without a name does not survive the process: whoever goes on appending hears of it.</summary>
    [SkippableFact]
    public void A_deleted_folder_is_no_place_for_written_records()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere nothing says that a file has no name");
        using TempFolder folder = new();
        SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false });
        log.Append("here"u8);
        Directory.Delete(folder.Log, recursive: true);
        Exception? error = null;
        SpinWait.SpinUntil(
            () =>
            {
                Thread.Sleep(20);
                error = Record.Exception(() => log.Append("nowhere"u8));
                return error is not null;
            },
            TimeSpan.FromMinutes(1));
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
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere nothing says that a file has no name");
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false });
        log.Append("here"u8, LogDurability.Durable);
        string segment = Directory.GetFiles(folder.Log, "*.slog").Single();
        File.Move(segment, Path.Combine(folder.Root, "moved away"));
        if (isReplaced)
        {
            File.Copy(Path.Combine(folder.Root, "moved away"), segment);
        }

        long sequence = 0;
        SpinWait.SpinUntil(
            () => Record.Exception(() => sequence = log.Append("next"u8, LogDurability.Durable)) is null,
            TimeSpan.FromMinutes(1)).ShouldBeTrue();
        Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromSequence = sequence }).Single().Bytes.ShouldBe("next"u8.ToArray());
    }

    /// <summary>Whoever appends hears of it once, and the log goes on in a new segment.</summary>
    [SkippableFact]
    public void A_deleted_segment_is_followed_by_another()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere nothing says that a file has no name");
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false }))
        {
            log.Append("gone"u8, LogDurability.Durable);
            File.Delete(Directory.GetFiles(folder.Log, "*.slog").Single());
            int heard = 0;
            long first = 0;
            SpinWait.SpinUntil(
                () =>
                {
                    Thread.Sleep(20);
                    Exception? error = Record.Exception(() => first = log.Append("here"u8));
                    heard += error is null ? 0 : 1;
                    return heard > 0 && error is null;
                },
                TimeSpan.FromMinutes(1)).ShouldBeTrue();
            heard.ShouldBe(1);
            log.Append("there"u8, LogDurability.Durable).ShouldBe(first + 1);
        }

        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { SkipDamage = true });
        List<string> found = [];
        while (reader.TryRead(out LogEntry entry))
        {
            found.Add(System.Text.Encoding.UTF8.GetString(entry.Bytes));
        }

        found.TakeLast(2).ShouldBe(["here", "there"]);
    }

    [Fact]
    public void Closing_a_log_that_cannot_be_written_says_so_and_frees_it()
    {
        using TempFolder folder = new();
        FailingEngine engine = new();
        SluiceLog log = SluiceLog.Open(folder.Log, With(engine, LogDurability.Buffered));
        log.Append("first"u8, LogDurability.Durable);
        engine.WriteErrno = FailingEngine.EIO;
        log.Append("second"u8);
        Should.Throw<IOException>(log.Dispose).HResult.ShouldBe(FailingEngine.EIO);
        using SluiceLog again = SluiceLog.Open(folder.Log);
        again.NextSequence.ShouldBe(2);
    }

    private static void Wipe(string path, int from)
    {
        byte[] bytes = File.ReadAllBytes(path);
        bytes.AsSpan(from).Fill(0xAA);
        using FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        file.Write(bytes);
    }
}
