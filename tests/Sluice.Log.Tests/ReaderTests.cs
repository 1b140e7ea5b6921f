namespace Sluice.Log.Tests;

/// <summary>Where a reader begins, where it ends, and how it follows.</summary>
public sealed class ReaderTests
{
    [Fact]
    public void It_begins_at_any_record()
    {
        using TempFolder folder = new(isInMemory: true);
        new SmallLog(150, isDurable: true).WriteTo(folder.Log);
        for (int from = 1; from <= 151; from += 7)
        {
            List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromSequence = from });
            records.Count.ShouldBe(151 - from);
            Records.ShouldBeInOrder(records, from, from - 1);
        }

        Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromSequence = 9999 }).ShouldBeEmpty();
    }

    [Fact]
    public void It_begins_at_a_time()
    {
        using TempFolder folder = new();
        List<DateTimeOffset> times = [];
        using (SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options))
        {
            for (int i = 0; i < 60; i++)
            {
                log.Append(Records.Make(0, i, 300));
                Thread.Sleep(1);
            }
        }

        using (SluiceLogReader reader = new(folder.Log))
        {
            foreach (LogEntry entry in reader.Entries)
            {
                times.Add(entry.Time);
            }
        }

        times.ShouldBe(times.Order());
        for (int i = 0; i < 60; i += 7)
        {
            List<(long Sequence, byte[] Bytes)> records = Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromTime = times[i] });
            records[0].Sequence.ShouldBe(times.IndexOf(times[i]) + 1);
            records.Count.ShouldBe(60 - times.IndexOf(times[i]));
        }

        Records.ReadAll(folder.Log, new SluiceLogReaderOptions { FromTime = DateTimeOffset.UtcNow.AddDays(1) }).ShouldBeEmpty();
    }

    [Fact]
    public async Task It_follows_from_the_end_over_segments_and_stops_at_what_is_durable()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        log.Append(Records.Make(0, -1, 100));
        using CancellationTokenSource enough = new();
        using SluiceLogReader written = new(folder.Log, new SluiceLogReaderOptions
        {
            FromEnd = true,
            PollInterval = TimeSpan.FromMilliseconds(1),
        });
        using SluiceLogReader durable = new(folder.Log, new SluiceLogReaderOptions
        {
            FromSequence = 2,
            UpTo = LogDurability.Durable,
            PollInterval = TimeSpan.FromMilliseconds(1),
        });
        Task<int> followed = FollowAsync(written, _ => { });
        Task<int> followedDurable = FollowAsync(durable, sequence => sequence.ShouldBeLessThanOrEqualTo(log.DurableSequence));
        for (int i = 0; i < 400; i++)
        {
            await log.AppendAsync(Records.Make(0, i, 100), i % 50 == 49 ? LogDurability.Durable : LogDurability.Written);
        }

        (await followed).ShouldBe(400);
        (await followedDurable).ShouldBe(400);

        async Task<int> FollowAsync(SluiceLogReader reader, Action<long> look)
        {
            int next = 0;
            await foreach (SluiceLogRecord record in reader.FollowAsync(enough.Token))
            {
                look(record.Sequence);
                Records.Check(record.Bytes.Span).Number.ShouldBe(next++);
                if (next == 400)
                {
                    break;
                }
            }

            return next;
        }
    }

    [Fact]
    public void It_reads_on_where_a_call_found_the_end()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        using SluiceLogReader reader = new(folder.Log);
        int next = 0;
        for (int run = 0; run < 200; run++)
        {
            for (int i = 0; i < run % 3; i++)
            {
                log.Append(Records.Make(0, next + i, 100));
            }

            for (int i = 0; i < run % 3; i++)
            {
                reader.TryRead(out LogEntry entry).ShouldBeTrue();
                Records.Check(entry.Bytes).Number.ShouldBe(next++);
            }

            reader.TryRead(out _).ShouldBeFalse();
        }
    }

    [Fact]
    public void It_sees_a_tail_that_is_dropped()
    {
        using TempFolder folder = new();
        using SluiceLog log = SluiceLog.Open(folder.Log, SmallLog.Options);
        using SluiceLogReader reader = new(folder.Log);
        for (int i = 0; i < 10; i++)
        {
            log.Append(Records.Make(0, i, 100));
            reader.TryRead(out _).ShouldBeTrue();
        }

        log.TruncateAfter(4);
        log.Append(Records.Make(0, 77, 100)).ShouldBe(5);
        reader.TryRead(out LogEntry entry).ShouldBeTrue();
        entry.Sequence.ShouldBe(5);
        Records.Check(entry.Bytes).Number.ShouldBe(77);
        reader.TryRead(out _).ShouldBeFalse();
    }

    [Fact]
    public void An_empty_log_and_none_at_all()
    {
        using TempFolder folder = new();
        Should.Throw<DirectoryNotFoundException>(() => new SluiceLogReader(folder.Log));
        using SluiceLog log = SluiceLog.Open(folder.Log);
        using SluiceLogReader reader = new(folder.Log);
        reader.TryRead(out _).ShouldBeFalse();
        reader.Tail.ShouldBeNull();
        log.Append("x"u8);
        reader.TryRead(out LogEntry entry).ShouldBeTrue();
        entry.Sequence.ShouldBe(1);
    }
}
