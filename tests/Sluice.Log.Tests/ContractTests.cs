using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>Sentences of the documentation at their edges.</summary>
public sealed class ContractTests
{
    private static SluiceLogOptions With(IoEngine engine) =>
        new() { Engine = engine, FlushInterval = TimeSpan.FromHours(1), Preallocate = false };

    private static readonly SluiceLogOptions Small = new()
    {
        SegmentBytes = 4096,
        MaxRecordBytes = 1000,
        Preallocate = false,
    };

    [Fact]
    public async Task What_is_written_while_a_sync_runs_waits_for_the_next_one()
    {
        using TempFolder folder = new();
        SteppingEngine engine = new(holdsFlushes: true);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        engine.Begin();
        try
        {
            Task<long> first = Task.Run(() => log.Append(Records.Make(0, 0, 100), LogDurability.Durable));
            engine.Awaits(1).ShouldBeTrue();
            log.Append(Records.Make(0, 1, 100), LogDurability.Written).ShouldBe(2);
            log.WrittenSequence.ShouldBe(2);
            Task second = log.WaitDurableAsync(2).AsTask();
            engine.Step();
            (await first).ShouldBe(1);
            SpinWait.SpinUntil(() => engine.Held > 1 || second.IsCompleted, TimeSpan.FromMinutes(1)).ShouldBeTrue();
            second.IsCompleted.ShouldBeFalse("no sync has begun since it was written");
            log.DurableSequence.ShouldBe(1);
            engine.Step();
            await second.WaitAsync(TimeSpan.FromMinutes(1));
            log.DurableSequence.ShouldBe(2);
        }
        finally
        {
            engine.End();
        }
    }

    [Fact]
    public void Whoever_comes_while_others_are_being_written_is_written_next()
    {
        const int count = 9;
        using TempFolder folder = new();
        SteppingEngine engine = new(holdsFlushes: false);
        using SluiceLog log = SluiceLog.Open(folder.Log, With(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Written);
        engine.Begin();
        List<Thread> threads = [];
        try
        {
            for (int i = 1; i <= count; i++)
            {
                byte[] record = Records.Make(0, i, 100);
                Thread thread = new(() => log.Append(record, LogDurability.Written)) { IsBackground = true };
                thread.Start();
                threads.Add(thread);
                if (i > 1)
                {
                    // It sleeps (by now, most probably) while the one before it is being written, and nobody comes after it.
                    SpinWait.SpinUntil(() => log.NextSequence == i + 2, TimeSpan.FromMinutes(1)).ShouldBeTrue();
                    Thread.Sleep(20);
                    engine.Step();
                }

                engine.Awaits(i).ShouldBeTrue($"thread {i} sleeps for ever");
            }
        }
        finally
        {
            engine.End();
        }

        threads.ForEach(static thread => thread.JoinInTime());
        log.WrittenSequence.ShouldBe(count + 1);
        Records.ShouldBeInOrder(Records.ReadWritten(folder.Log), 1, 0);
    }

    [Theory]
    [InlineData(1)]
    [InlineData(1677)]
    public void Times_before_the_log_remove_nothing_and_are_a_beginning(int year)
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, Small);
        Fill(log, 200);
        DateTimeOffset time = new(year, 1, 1, 0, 0, 0, TimeSpan.Zero);
        log.TruncateBefore(time).ShouldBe(0);
        Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromTime = time }).Count.ShouldBe(200);
    }

    [Theory]
    [InlineData(2263)]
    [InlineData(9999)]
    public void Times_behind_the_log_remove_all_but_what_is_written(int year)
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, Small);
        Fill(log, 200);
        DateTimeOffset time = new(year, 1, 1, 0, 0, 0, TimeSpan.Zero);
        Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromTime = time }).ShouldBeEmpty();
        log.TruncateBefore(time).ShouldBeGreaterThan(0);
    }

    [Fact]
    public void Limits_of_what_is_kept_cannot_be_negative()
    {
        using TempFolder folder = new();
        foreach (SluiceLogOptions options in (SluiceLogOptions[])
        [
            new() { RetainAge = Timeout.InfiniteTimeSpan },
            new() { RetainBytes = -1 },
            new() { SegmentAge = TimeSpan.FromTicks(-1) },
        ])
        {
            Should.Throw<ArgumentOutOfRangeException>(() => SluiceLog.Open(folder.Log, options).Dispose());
        }
    }

    [Fact]
    public void A_reader_of_what_is_durable_stops_behind_a_dropped_tail_as_well()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false });
        Fill(log, 100);
        log.TruncateAfter(50);
        Fill(log, 50);
        log.Flush();
        using SluiceLogReader reader = Read(folder, 40);
        log.TruncateAfter(50);
        Fill(log, 20, writer: 1);
        log.DurableSequence.ShouldBe(50);
        foreach (LogEntry entry in reader.Entries)
        {
            Records.Check(entry.Bytes).Writer.ShouldBe(0, $"record {entry.Sequence}");
        }

        reader.NextSequence.ShouldBe(51);
    }

    [Fact]
    public void A_reader_of_what_is_durable_is_told_that_the_tail_was_dropped()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { Preallocate = false });
        Fill(log, 100);
        log.Flush();
        using SluiceLogReader reader = Read(folder, 100);
        log.TruncateAfter(50);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Sequence.ShouldBeInRange(1, 51);
        Fill(log, 20, writer: 1);
        log.Flush();
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Sequence.ShouldBeInRange(1, 51);
        int count = 50;
        using SluiceLogReader again = new(folder.Log, new SluiceLogReaderOptions { FromSequence = 51 });
        foreach (LogEntry entry in again.Entries)
        {
            entry.Sequence.ShouldBe(++count);
            Records.Check(entry.Bytes).Writer.ShouldBe(1);
        }

        count.ShouldBe(70);
    }

    [Fact]
    public void A_state_that_is_torn_for_a_moment_lets_no_reader_read_on()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(
            folder.Log, new SluiceLogOptions { Durability = LogDurability.Durable, Preallocate = false });
        log.Append(Records.Make(0, 0, 100));
        string state = Path.Combine(folder.Log, "log.state");
        byte[] whole = ReadShared(state);
        using SluiceLogReader reader = new(folder.Log);
        WriteShared(state, [.. whole[..40], .. new byte[24]]);
        Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Path.ShouldBe(state);
        WriteShared(state, whole);
        log.Append(Records.Make(0, 1, 100), LogDurability.Written);
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBe(1);
        }
    }

    [Fact]
    public void A_frame_that_stands_far_behind_is_found()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        string path = Path.Combine(folder.Log, "sparse");
        foreach (long offset in (long[])[(1L << 31) - 64, 1L << 31, (1L << 32) + 8])
        {
            byte[] frame = new byte[LogLayout.FrameHeaderBytes + 8];
            LogLayout.WriteFrameHeader(frame, new FrameHeader(5, 1, 7, 0, FrameKind.Records, 0));
            LogLayout.Sign(frame, 0);
            using SluiceHandle file = SluiceHandle.Open(path, FileMode.Create, FileAccess.ReadWrite);
            file.Write(frame, 8);
            file.Write(frame, offset);
            FrameScanner scanner = new(file, 4096, offset, 0);
            scanner.TryNext(out FrameHeader header, out _).ShouldBe(FrameResult.Good);
            header.FirstSequence.ShouldBe(7);
            scanner.MoveTo(8, 0);
            scanner.TryNext(out header, out _).ShouldBe(FrameResult.Good);
            scanner.Offset.ShouldBe(48);
        }
    }

    [Fact]
    public void Full_memory_says_how_large_it_is()
    {
        using TempFolder folder = new();
        HeldLog(folder, out string message);
        message.ShouldNotContain("-");
    }

    [Fact]
    public void What_is_dropped_leaves_each_segment_its_own_last_record()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            Preallocate = false,
            Durability = LogDurability.Buffered,
        });
        Fill(log, 200);
        log.TruncateAfter(200);
        log.Append(new byte[10], LogDurability.Durable);
        int before = Directory.GetFiles(folder.Log, "*.slog").Length;
        log.TruncateBefore(200).ShouldBeGreaterThan(before - 5);
    }

    private static void HeldLog(TempFolder folder, out string message)
    {
        _ = folder;
        message = Should.Throw<IOException>(() => LogErrors.ThrowFull("log", int.MaxValue)).Message;
    }

    private static void Fill(SluiceLog log, int count, int writer = 0)
    {
        for (int i = 0; i < count; i++)
        {
            log.Append(Records.Make(writer, i, 100));
        }
    }

    private static SluiceLogReader Read(TempFolder folder, int count)
    {
        SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { UpTo = LogDurability.Durable });
        for (int i = 1; i <= count; i++)
        {
            reader.TryRead(out LogEntry entry).ShouldBeTrue();
            entry.Sequence.ShouldBe(i);
        }

        return reader;
    }

    private static byte[] ReadShared(string path)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite | FileShare.Delete);
        byte[] bytes = new byte[file.Length];
        file.ReadExactly(bytes);
        return bytes;
    }

    private static void WriteShared(string path, byte[] bytes)
    {
        using FileStream file = new(path, FileMode.Open, FileAccess.Write, FileShare.ReadWrite | FileShare.Delete);
        file.Write(bytes);
    }
}
