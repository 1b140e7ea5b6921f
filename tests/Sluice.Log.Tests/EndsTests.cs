using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>Dropping the beginning and the tail, and what is kept.</summary>
public sealed class EndsTests
{
    [Fact]
    public void A_dropped_tail_is_gone_for_good_and_its_numbers_are_given_again()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < 100; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            log.TruncateAfter(63);
            log.NextSequence.ShouldBe(64);
            log.DurableSequence.ShouldBe(63);
            Records.ReadAll(folder.Log).Count.ShouldBe(63);
            log.Append(Records.Make(0, 63, 100)).ShouldBe(64);
            log.TruncateAfter(64);
            log.TruncateAfter(10);
            log.Append(Records.Make(0, 10, 100)).ShouldBe(11);
            Should.Throw<ArgumentOutOfRangeException>(() => log.TruncateAfter(12));
            log.Append(Records.Make(0, 11, 100)).ShouldBe(12);
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records.Count.ShouldBe(12);
        Records.ShouldBeInOrder(records, 1, 0);
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            log.NextSequence.ShouldBe(13);
            log.TruncateAfter(0);
            log.Append(Records.Make(0, 5, 100)).ShouldBe(1);
        }

        Records.ReadAll(folder.Log).Single().Sequence.ShouldBe(1);
        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBe(1);
    }

    [Fact]
    public void A_tail_may_begin_inside_of_a_batch()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            ReadOnlyMemory<byte>[] batch = [.. Enumerable.Range(0, 10).Select(static i => (ReadOnlyMemory<byte>)Records.Make(0, i, 30))];
            log.AppendBatch(batch).ShouldBe(1);
            log.TruncateAfter(4);
            Records.ReadAll(folder.Log).Count.ShouldBe(4);
            log.Append(Records.Make(0, 4, 100)).ShouldBe(5);
            Records.ReadAll(folder.Log).Count.ShouldBe(5);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
        again.NextSequence.ShouldBe(6);
    }

    [Fact]
    public void A_crash_at_any_moment_of_dropping_a_tail_leaves_a_log_that_opens()
    {
        using TempFolder folder = new(isInMemory: true);
        SnapshotEngine engine = new(folder.Log, "*");
        SluiceLogOptions options = new() { Engine = engine, Preallocate = false, FlushInterval = TimeSpan.FromHours(1) };
        using (SluiceLog log = SluiceLog.Open(folder.Log, options))
        {
            for (int i = 0; i < 20; i++)
            {
                log.Append(Records.Make(0, i, 100), LogDurability.Durable);
            }

            engine.Steps.Clear();
            log.TruncateAfter(5);
            engine.TakeLast();
        }

        engine.Steps.Count.ShouldBeGreaterThan(2);
        foreach ((Dictionary<string, byte[]> files, bool _) in engine.Steps)
        {
            using TempFolder crashed = new(isInMemory: true);
            Directory.CreateDirectory(crashed.Log);
            foreach ((string name, byte[] bytes) in files)
            {
                File.WriteAllBytes(Path.Combine(crashed.Log, name), bytes);
            }

            using (SluiceLog log = SluiceLog.Open(crashed.Log, SmallLog.Options))
            {
                log.NextSequence.ShouldBeOneOf(6, 21);
                log.Append(Records.Make(0, (int)log.NextSequence - 1, 100));
            }

            List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(crashed.Log);
            records.Count.ShouldBeOneOf(6, 21);
            Records.ShouldBeInOrder(records, 1, 0);
        }
    }

    [Fact]
    public void A_dropped_tail_beside_appends_leaves_no_gap()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        bool ends = false;
        Thread[] threads = [.. Enumerable.Range(0, 3).Select(t => new Thread(() =>
        {
            for (int i = 0; !Volatile.Read(ref ends); i++)
            {
                try
                {
                    log.Append(Records.Make(t, i, 60));
                }
                catch (IOException e) when (e.Message.Contains("dropped by TruncateAfter", StringComparison.Ordinal))
                {
                    // It waited when the tail that it stood in was cut off.
                }
            }
        }))];
        foreach (Thread thread in threads)
        {
            thread.Start();
        }

        for (int run = 0; run < 10; run++)
        {
            SpinWait.SpinUntil(() => log.WrittenSequence >= 40, TimeSpan.FromMinutes(1)).ShouldBeTrue();

            log.TruncateAfter(log.WrittenSequence / 2);
        }

        Volatile.Write(ref ends, true);
        foreach (Thread thread in threads)
        {
            thread.JoinInTime();
        }

        long last = log.NextSequence - 1;
        List<(long Sequence, byte[] Bytes)> records = Records.ReadWritten(folder.Log);
        records.Count.ShouldBe((int)last);
        for (int i = 0; i < records.Count; i++)
        {
            records[i].Sequence.ShouldBe(i + 1);
            _ = Records.Check(records[i].Bytes);
        }
    }

    [Fact]
    public async Task Appends_that_are_dropped_while_they_wait_end()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        for (int run = 0; run < 10; run++)
        {
            Task<long>[] appends =
            [
                .. Enumerable.Range(0, 20).Select(i => Task.Run(async () =>
                    await log.AppendAsync(Records.Make(0, i, 50), i % 2 == 0 ? LogDurability.Durable : LogDurability.Written))),
            ];
            log.TruncateAfter(0);
            foreach (Task<long> append in appends)
            {
                try
                {
                    (await append).ShouldBeGreaterThan(0);
                }
                catch (IOException e)
                {
                    e.Message.ShouldContain("dropped");
                }
            }
        }
    }

    [Fact]
    public void The_beginning_goes_by_whole_segments()
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < 200; i++)
            {
                log.Append(Records.Make(0, i, 100));
            }

            log.Flush();
            while (Directory.GetFiles(folder.Log, "*.slog").Length > 0 && log.TruncateBefore(100) == 0)
            {
                // Sealing is a thread's of its own.
                Thread.Yield();
            }

            log.FirstSequence.ShouldBeInRange(2, 100);
            log.TruncateBefore(long.MaxValue);
            log.Append(Records.Make(0, 200, 100)).ShouldBe(201);
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records[^1].Sequence.ShouldBe(201);
        Records.ShouldBeInOrder(records, records[0].Sequence, (int)records[0].Sequence - 1);
        using SluiceLog again = SluiceLog.Open(folder.Log, SmallLog.Options);
        again.NextSequence.ShouldBe(202);
        again.FirstSequence.ShouldBe(records[0].Sequence);
    }

    [Theory]
    [InlineData("count")]
    [InlineData("bytes")]
    [InlineData("age")]
    public void What_is_not_to_be_kept_is_removed(string by)
    {
        using TempFolder folder = new();
        SluiceLogOptions options = new()
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            RetainSegments = by == "count" ? 3 : null,
            RetainBytes = by == "bytes" ? 10_000 : null,
            RetainAge = by == "age" ? TimeSpan.Zero : null,
        };
        for (int run = 0; run < 5; run++)
        {
            using SluiceLog log = SluiceLog.Open(folder.Log, options);
            for (int i = 0; i < 100; i++)
            {
                log.Append(Records.Make(0, (run * 100) + i, 100), LogDurability.Durable);
            }

            // The thread that removes may come later than the append that made another segment; the next one may be there already.
            SpinWait.SpinUntil(() => Directory.GetFiles(folder.Log, "*.slog").Length is >= 1 and <= 5, TimeSpan.FromMinutes(1))
                .ShouldBeTrue();
        }

        List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log);
        records[^1].Sequence.ShouldBe(500);
        Records.ShouldBeInOrder(records, records[0].Sequence, (int)records[0].Sequence - 1);
    }

    /// <summary>Nothing is appended, so that no segment becomes full: what is old goes when the log is opened, and by and by.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void What_has_become_too_old_goes_without_another_append(int seconds)
    {
        using TempFolder folder = new();
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < 100; i++)
            {
                log.Append(Records.Make(0, i, 200));
            }
        }

        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBeGreaterThan(3);
        SluiceLogOptions options = new() { SegmentBytes = 4096, Preallocate = false, RetainAge = TimeSpan.FromSeconds(seconds) };
        using SluiceLog again = SluiceLog.Open(folder.Log, options);
        SpinWait.SpinUntil(() => Directory.GetFiles(folder.Log, "*.slog").Length == 1, TimeSpan.FromMinutes(1)).ShouldBeTrue();
    }

    [Fact]
    public void As_many_segments_are_kept_as_were_asked_for_with_the_one_that_is_written()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions
        {
            SegmentBytes = 4096,
            MaxRecordBytes = 1000,
            BufferBytes = 4000,
            Preallocate = false,
            Durability = LogDurability.Durable,
            RetainSegments = 3,
        });
        for (int i = 0; i < 300; i++)
        {
            log.Append(Records.Make(0, i, 100));
        }

        // The log's own thread removes them; whoever appends reminds it. One that was made ahead has a header alone.
        int most = 0;
        SpinWait.SpinUntil(() =>
        {
            log.Append([]);
            // What is in the list may be removed meanwhile.
            int begun = Directory.GetFiles(folder.Log, "*.slog")
                .Count(static f => new FileInfo(f) is { Exists: true, Length: > LogLayout.HeaderBytes });
            most = Math.Max(most, begun);
            return begun == 3;
        }, TimeSpan.FromMinutes(1)).ShouldBeTrue($"{most} were there");
    }

    [Fact]
    public void A_segment_that_is_old_enough_is_followed_by_another()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, new SluiceLogOptions { SegmentAge = TimeSpan.FromTicks(1), Preallocate = false });
        log.Append("one"u8);
        log.Append("two"u8);
        log.Append("three"u8);
        Directory.GetFiles(folder.Log, "*.slog").Length.ShouldBeGreaterThanOrEqualTo(2);
        Records.ReadAll(folder.Log).Count.ShouldBe(3);
    }
}
