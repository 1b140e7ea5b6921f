using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Frames;

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
            List<(long Sequence, byte[] Bytes)> records = folder.ReadAll(new SluiceLogReaderOptions { FromSequence = from });
            records.Count.ShouldBe(151 - from);
            Records.ShouldBeInOrder(records, from, from - 1);
        }

        folder.ReadAll(new SluiceLogReaderOptions { FromSequence = 9999 }).ShouldBeEmpty();
    }

    [Fact]
    public void It_begins_at_a_time()
    {
        using TempFolder folder = new();
        List<DateTimeOffset> times = [];
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            for (int i = 0; i < 60; i++)
            {
                log.Append(Records.Make(0, i, 300));
                Thread.Sleep(1);
            }
        }

        using (SluiceLogReader reader = folder.OpenReader())
        {
            foreach (LogEntry entry in reader.Entries)
            {
                times.Add(entry.Time);
            }
        }

        times.ShouldBe(times.Order());
        for (int i = 0; i < 60; i += 7)
        {
            List<(long Sequence, byte[] Bytes)> records = folder.ReadAll(new SluiceLogReaderOptions { FromTime = times[i] });
            records[0].Sequence.ShouldBe(times.IndexOf(times[i]) + 1);
            records.Count.ShouldBe(60 - times.IndexOf(times[i]));
        }

        folder.ReadAll(new SluiceLogReaderOptions { FromTime = DateTimeOffset.UtcNow.AddDays(1) }).ShouldBeEmpty();
    }

    [Fact]
    public void From_the_end_it_returns_records_of_earlier_segments_that_become_durable_later()
    {
        using TempFolder folder = new();
        string path = folder.PathOf(LogFolder.StateName);
        byte[] state;
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.Append(Records.Make(0, 0, 500), LogDurability.Durable);
            state = File.ReadAllBytes(path);
            log.AppendMany(1, 29, 500);
        }

        byte[] later = File.ReadAllBytes(path);
        File.WriteAllBytes(path, state);
        using SluiceLogReader reader = new(
            folder.Log, new SluiceLogReaderOptions { FromEnd = true, UpTo = LogDurability.Durable });
        reader.NextSequence.ShouldBe(2);
        reader.TryRead(out _).ShouldBeFalse();
        File.WriteAllBytes(path, later);
        reader.ReadTo(30);
    }

    [Fact]
    public async Task It_follows_from_the_end_over_segments_and_stops_at_what_is_durable()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.Append(Records.Make(0, -1, 100));
        using CancellationTokenSource enough = new();
        using SluiceLogReader written = new(folder.Log, new SluiceLogReaderOptions { FromEnd = true });
        using SluiceLogReader durable = folder.OpenReader(LogDurability.Durable, from: 2);
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

    /// <summary>Segments go while it is in an older one, and with that one, or before it has opened what it found.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task It_says_that_what_it_was_to_read_was_removed(bool skips)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.AppendMany(0, 100);
        using SluiceLogReader reader = folder.OpenReader(skips: skips);
        reader.ReadTo(1);
        log.TruncateBefore(90).ShouldBeGreaterThan(1);
        long oldest = log.FirstSequence;
        oldest.ShouldBeInRange(30, 90);

        // The segment that it is in is read to its end: the file is there for whoever has it open.
        long last = 1;
        SluiceLogDamagedException? told = null;
        try
        {
            while (reader.NextSequence < 101 && reader.TryRead(out LogEntry entry))
            {
                entry.Sequence.ShouldBe(reader.Damage.Count > 0 && last < oldest ? oldest : last + 1);
                Records.Check(entry.Bytes).Number.ShouldBe((int)entry.Sequence - 1);
                last = entry.Sequence;
            }
        }
        catch (SluiceLogDamagedException e)
        {
            told = e;
        }

        (told is not null).ShouldBe(!skips);
        told ??= reader.Damage.Single();
        told.Path.ShouldBe(folder.Log);
        told.FileOffset.ShouldBe(-1);
        told.Sequence.ShouldBeInRange(2, oldest - 1);
        told.Reason.ShouldContain($"removed before it was read, and the log begins later now (record {oldest} is there)");
        if (!skips)
        {
            last.ShouldBe(told.Sequence - 1);

            // The same again, whoever asks; and a new one begins with what is there.
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Message.ShouldBe(told.Message);
            await Should.ThrowAsync<SluiceLogDamagedException>(async () => await reader.FollowAsync().GetAsyncEnumerator().MoveNextAsync());
        }
        else
        {
            last.ShouldBe(100);
        }

        folder.Sequences(new SluiceLogReaderOptions { FromSequence = told.Sequence })[0].ShouldBe(oldest);
    }

    [Fact]
    public void An_empty_log_and_none_at_all()
    {
        using TempFolder folder = new();
        Should.Throw<DirectoryNotFoundException>(() => folder.OpenReader());
        using SluiceLog log = folder.Open();
        using SluiceLogReader reader = folder.OpenReader();
        reader.TryRead(out _).ShouldBeFalse();
        reader.Tail.ShouldBeNull();
        log.Append("x"u8);
        reader.Next().Sequence.ShouldBe(1);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task What_is_cancelled_swallows_no_record(bool follows)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.AppendMany(0, 3);

        using CancellationTokenSource stop = new();
        using SluiceLogReader reader = folder.OpenReader();
        await using IAsyncEnumerator<SluiceLogRecord> records =
            (follows ? reader.FollowAsync(stop.Token) : reader.ReadAllAsync(stop.Token)).GetAsyncEnumerator(CancellationToken.None);
        (await records.MoveNextAsync()).ShouldBeTrue();
        records.Current.Sequence.ShouldBe(1);
        await stop.CancelAsync();
        await Should.ThrowAsync<OperationCanceledException>(async () => await records.MoveNextAsync());
        Records.Check(reader.Next().Bytes.Span).Number.ShouldBe(1);
    }

    /// <summary>Its sums are right, and a record is longer than its frame: nothing behind it is given, however often one asks.</summary>
    [Fact]
    public void A_record_that_is_longer_than_its_frame_is_told_at_each_call()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendBatch([Records.Make(0, 0, 100), Records.Make(0, 1, 100)]);
            log.Append(Records.Make(0, 2, 100));
        }

        string path = folder.Segments.First();
        byte[] bytes = File.ReadAllBytes(path);
        int at = LogLayout.HeaderBytes;
        uint chain = BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(at - sizeof(uint)));
        for (bool isForged = false; at < bytes.Length;)
        {
            FrameHeader frame = LogLayout.ReadFrameHeader(bytes.AsSpan(at));
            if (frame.Kind == FrameKind.Records && !isForged)
            {
                frame.Count.ShouldBe(2);
                int second = at + LogLayout.FrameHeaderBytes + LogLayout.RecordHeaderBytes + 100;
                BinaryPrimitives.ReadUInt32LittleEndian(bytes.AsSpan(second)).ShouldBe(100 | 1u << 30);
                BinaryPrimitives.WriteUInt32LittleEndian(bytes.AsSpan(second), 5000 | 1u << 30);
                isForged = true;
            }

            chain = LogLayout.Sign(bytes.AsSpan(at, frame.FrameBytes), chain);
            at += frame.FrameBytes;
        }

        File.WriteAllBytes(path, bytes);
        using SluiceLogReader reader = folder.OpenReader();
        reader.Next().Sequence.ShouldBe(1);
        for (int i = 0; i < 3; i++)
        {
            Should.Throw<SluiceLogDamagedException>(() => reader.TryRead(out _)).Reason.ShouldContain("longer than its frame");
            reader.NextSequence.ShouldBe(2);
        }

        // Who passes over damage goes on behind the frame.
        folder.Sequences(new SluiceLogReaderOptions { SkipDamage = true }).ShouldBe([1, 3]);
    }
}
