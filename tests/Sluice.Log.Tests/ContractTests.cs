using Sluice.Log.Frames;
using Sluice.Log.Segments;

namespace Sluice.Log.Tests;

/// <summary>Sentences of the documentation at their edges.</summary>
public sealed class ContractTests
{
    private static SluiceLogOptions With(IoEngine engine) =>
        new() { Engine = engine, FlushInterval = TimeSpan.FromHours(1), Preallocate = false };

    [Fact]
    public async Task What_is_written_while_a_sync_runs_waits_for_the_next_one()
    {
        using TempFolder folder = new();
        SteppingEngine engine = new(holdsFlushes: true);
        using SluiceLog log = folder.Open(With(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        engine.Begin();
        try
        {
            Task<long> first = Task.Run(() => log.Append(Records.Make(0, 1, 100), LogDurability.Durable));
            engine.Awaits(1).ShouldBeTrue();
            log.Append(Records.Make(0, 2, 100), LogDurability.Written).ShouldBe(3);
            log.WrittenSequence.ShouldBe(3);
            Task second = log.WaitDurableAsync(3).AsTask();
            engine.Step();
            (await first).ShouldBe(2);
            Threads.WaitUntil(() => engine.Held > 1 || second.IsCompleted);
            second.IsCompleted.ShouldBeFalse("no sync has begun since it was written");
            log.DurableSequence.ShouldBe(2);
            engine.Step();
            await second.WaitAsync(TimeSpan.FromMinutes(1));
            log.DurableSequence.ShouldBe(3);
        }
        finally
        {
            engine.End();
        }
    }

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public void Whoever_comes_while_others_are_being_written_is_written_next(LogDurability durability)
    {
        const int count = 9;
        using TempFolder folder = new();
        SteppingEngine engine = new(holdsFlushes: durability == LogDurability.Durable);
        using SluiceLog log = folder.Open(With(engine));
        log.Append(Records.Make(0, 0, 100), durability);
        engine.Begin();
        List<Thread> threads = [];
        try
        {
            for (int i = 1; i <= count; i++)
            {
                byte[] record = Records.Make(0, i, 100);
                Thread thread = new(() => log.Append(record, durability)) { IsBackground = true };
                thread.Start();
                threads.Add(thread);
                if (i > 1)
                {
                    // It sleeps (by now, most probably) while the one before it is being written, and nobody comes after it.
                    Threads.WaitUntil(() => log.NextSequence == i + 2);
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
        Records.ShouldBeInOrder(folder.ReadWritten(), 1, 0);
    }

    /// <summary>Also times that the format does not have.</summary>
    [Theory]
    [InlineData(1, true)]
    [InlineData(1677, true)]
    [InlineData(2263, false)]
    [InlineData(9999, false)]
    public void Any_time_is_before_or_behind_the_log(int year, bool isBefore)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.AppendMany(0, 200);
        DateTimeOffset time = new(year, 1, 1, 0, 0, 0, TimeSpan.Zero);
        folder.ReadAll(new SluiceLogReaderOptions { FromTime = time }).Count.ShouldBe(isBefore ? 200 : 0);
        (log.TruncateBefore(time) == 0).ShouldBe(isBefore);
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
            Should.Throw<ArgumentOutOfRangeException>(() => folder.Open(options).Dispose());
        }
    }

    [Fact]
    public void A_reader_of_what_is_durable_stops_behind_a_dropped_tail_as_well()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Preallocate = false });
        log.AppendMany(0, 100);
        log.TruncateAfter(50);
        log.AppendMany(0, 50);
        log.Flush();
        using SluiceLogReader reader = folder.OpenReader(LogDurability.Durable);
        reader.ReadTo(40);
        log.TruncateAfter(50);
        log.AppendMany(0, 20, writer: 1);
        log.DurableSequence.ShouldBe(50);
        foreach (LogEntry entry in reader.Entries)
        {
            Records.Check(entry.Bytes).Writer.ShouldBe(0, $"record {entry.Sequence}");
        }

        reader.NextSequence.ShouldBe(51);
    }

    /// <summary>The reader enters the segment, which has both, at an entry of the log's index.</summary>
    [Fact]
    public void A_reader_of_what_is_durable_stops_behind_a_dropped_tail_of_the_next_segment_as_well()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(static o => o.FlushInterval = TimeSpan.FromHours(1)));
        log.AppendMany(0, 8, 900, LogDurability.Durable);
        folder.Segments.Length.ShouldBeGreaterThan(1);

        // Closes the first segment, so that the log's own thread makes nothing durable.
        log.TruncateBefore(1).ShouldBe(0);
        using SluiceLogReader reader = log.OpenReader(new SluiceLogReaderOptions { UpTo = LogDurability.Durable });
        reader.ReadTo(4);
        log.TruncateAfter(6);
        log.Append(Records.Make(1, 6, 900), LogDurability.Written).ShouldBe(7);
        reader.ReadToEnd().ShouldBe([5, 6]);
        log.Flush();
        reader.ReadToEnd().ShouldBe([7]);
    }

    /// <summary>Also what has come since the reader read the reserved space in its place.</summary>
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void A_reader_that_is_at_the_end_has_returned_all_that_was_written_before_the_call(bool isOfLog)
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(static o => (o.SegmentBytes, o.Preallocate) = (1 << 20, true)));
        log.AppendMany(0, 2);
        using SluiceLogReader reader = isOfLog ? log.OpenReader() : folder.OpenReader();
        reader.ReadTo(1);
        log.AppendMany(2, 3);
        reader.ReadToEnd().ShouldBe([2, 3, 4, 5]);
    }

    [Fact]
    public void A_frame_that_stands_far_behind_is_found()
    {
        using TempFolder folder = new();
        Directory.CreateDirectory(folder.Log);
        string path = folder.PathOf("sparse");
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
    public void What_is_dropped_leaves_each_segment_its_own_last_record()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.With(o => o.Durability = LogDurability.Buffered));
        log.AppendMany(0, 200);
        log.TruncateAfter(200);
        log.Append(new byte[10], LogDurability.Durable);
        int before = folder.Segments.Length;
        log.TruncateBefore(200).ShouldBeGreaterThan(before - 5);
    }
}
