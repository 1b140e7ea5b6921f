using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Single records, and readers that a log opens, are found by the index of the segment that is being written.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class RecordReadTests : IDisposable
{
    /// <summary>Segments of which each has some entries in its index.</summary>
    private static readonly SluiceLogOptions s_options = new()
    {
        SegmentBytes = 2 << 20,
        MaxRecordBytes = 2000,
        Durability = LogDurability.Written,
    };

    public void Dispose() => SystemCallFaults.Use(null);

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Each_record_is_read_in_any_order(bool isReopened)
    {
        using TempFolder folder = new(isInMemory: true);
        SluiceLog log = Fill(folder, 4000);
        if (isReopened)
        {
            log.Dispose();
            log = folder.Open(s_options);
        }

        using (log)
        {
            folder.Segments.Length.ShouldBeGreaterThan(1);
            log.LastSequence.ShouldBe(4000);
            for (int i = 0; i < 4000; i++)
            {
                ShouldHave(log, 1 + (i * 1117 % 4000));
            }

            for (int i = 3900; i <= 4000; i++)
            {
                ShouldHave(log, i);
            }

            log.TryRead(0, out _).ShouldBeFalse();
            log.TryRead(-1, out _).ShouldBeFalse();
            log.TryRead(4001, out SluiceLogRecord none).ShouldBeFalse();
            none.ShouldBe(default);
            log.TruncateBefore(3000);
            log.TryRead(1, out _).ShouldBeFalse();
            log.TryRead(log.FirstSequence, out _).ShouldBeTrue();
        }

        Should.Throw<ObjectDisposedException>(() => log.TryRead(4000, out _));
    }

    [Fact]
    public void A_record_in_memory_is_written_first()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { FlushInterval = TimeSpan.FromHours(1) });
        for (int i = 1; i < 10; i++)
        {
            log.Append(Records.Make(0, i, 500), LogDurability.Buffered).ShouldBe(i);
            ShouldHave(log, i);
            log.WrittenSequence.ShouldBe(i);
        }
    }

    /// <summary>Records that come after a truncation have the numbers and the places of others that were read before.</summary>
    [Fact]
    public void A_record_is_never_one_that_was_removed()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = Fill(folder, 3000);
        for (int writer = 1; writer < 20; writer++)
        {
            const int kept = 2900;
            ShouldHave(log, kept + 1, writer - 1);
            log.TruncateAfter(kept);
            log.TryRead(kept + 1, out _).ShouldBeFalse();
            log.LastSequence.ShouldBe(kept);
            for (int i = 1; i <= 50; i++)
            {
                log.Append(Records.Make(writer, kept + i, 1000));
                ShouldHave(log, kept + i, writer);
            }

            ShouldHave(log, kept);
            log.TryRead(kept + 51, out _).ShouldBeFalse();
            for (int i = 51; i <= 100; i++)
            {
                log.Append(Records.Make(writer, kept + i, 1000));
            }
        }
    }

    [Fact]
    public async Task Threads_read_while_records_come_and_go()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = Fill(folder, 3000);
        using CancellationTokenSource ends = new();
        Task[] reading = [.. Enumerable.Range(0, 3).Select(t => Task.Factory.StartNew(
            () => ReadUntil(log, t, ends.Token), default, TaskCreationOptions.LongRunning, TaskScheduler.Default))];
        for (int round = 0; round < 60; round++)
        {
            long last = log.LastSequence;
            if (round % 3 == 0)
            {
                last = Math.Max(log.FirstSequence, last - 700);
                log.TruncateAfter(last);
            }

            for (int i = 1; i <= 500; i++)
            {
                log.Append(Records.Make(round, (int)last + i, 1000), i % 2 == 0 ? LogDurability.Buffered : LogDurability.Written);
            }

            log.TruncateBefore(last - 6000);
        }

        await ends.CancelAsync();
        await Task.WhenAll(reading);
    }

    [Fact]
    public void Damage_is_told_of_and_what_follows_by_the_index_is_read()
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = Fill(folder, 1500);
        string path = folder.PathOf("0000000001.slog");
        using (FileStream file = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite | FileShare.Delete))
        {
            file.Position = 100_000;
            int value = file.ReadByte();
            file.Position = 100_000;
            file.WriteByte((byte)(value ^ 1));
        }

        SluiceLogDamagedException damage = Should.Throw<SluiceLogDamagedException>(() => log.TryRead(200, out _));
        damage.Path.ShouldBe(path);
        damage.FileOffset.ShouldBeInRange(98_000, 100_000);
        ShouldHave(log, 5);
        ShouldHave(log, 1400);
    }

    [Fact]
    public void A_raw_log_has_no_records_to_be_read()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { Format = LogFormat.Raw });
        Should.Throw<NotSupportedException>(() => log.TryRead(1, out _));
        Should.Throw<NotSupportedException>(() => log.OpenReader());
    }

    [SkippableTheory]
    [InlineData(false, null)]
    [InlineData(true, null)]
    [InlineData(true, LogDurability.Durable)]
    public void A_reader_of_the_open_segment_does_not_read_it_from_its_start(bool fromEnd, LogDurability? upTo)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 16 << 20, MaxRecordBytes = 2000 });
        log.AppendMany(1, 4000, 1000, LogDurability.Written);

        log.Flush();
        int reads = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            reads += call == "pread" ? 1 : 0;
            return 0;
        });
        using SluiceLogReader reader = log.OpenReader(fromEnd
            ? new SluiceLogReaderOptions { FromEnd = true, UpTo = upTo } : new SluiceLogReaderOptions { FromSequence = 3999 });
        if (!fromEnd)
        {
            Records.Check(reader.Next().Bytes.Span).Number.ShouldBe(3999);
        }

        // One for each frame after the entry of the index, and some for headers.
        reads.ShouldBeLessThan(400);
        SystemCallFaults.Use(null);
        if (fromEnd)
        {
            reader.NextSequence.ShouldBe(4001);
            reader.TryRead(out _).ShouldBeFalse();
            log.Append(Records.Make(0, 4001, 1000), LogDurability.Durable);
            Records.Check(reader.Next().Bytes.Span).Number.ShouldBe(4001);
        }
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_reader_whose_place_is_removed_before_it_reads_goes_on_with_what_is_there(bool isDurable)
    {
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(new SluiceLogOptions { SegmentBytes = 16 << 20, MaxRecordBytes = 2000 });
        log.AppendMany(1, 2000, 1000, LogDurability.Written);

        using SluiceLogReader reader = log.OpenReader(new SluiceLogReaderOptions
        {
            FromSequence = 1900,
            UpTo = isDurable ? LogDurability.Durable : null,
        });
        log.TruncateAfter(500);
        reader.TryRead(out _).ShouldBeFalse();
        log.AppendMany(501, 2500, 900, LogDurability.Written, writer: 1);

        log.Flush();
        for (int i = 1900; i <= 3000; i++)
        {
            Records.Check(reader.Next().Bytes.Span).ShouldBe((1, i));
        }

        reader.TryRead(out _).ShouldBeFalse();
    }

    private static SluiceLog Fill(TempFolder folder, int count)
    {
        SluiceLog log = folder.Open(s_options);
        for (int i = 1; i <= count; i++)
        {
            // Frames of one record, and of several.
            log.Append(Records.Make(0, i, 1000), i % 5 == 0 ? LogDurability.Written : LogDurability.Buffered);
        }

        log.Flush(LogDurability.Written);
        return log;
    }

    private static void ShouldHave(SluiceLog log, long sequence, int? writer = null)
    {
        log.TryRead(sequence, out SluiceLogRecord record).ShouldBeTrue($"record {sequence}");
        record.Sequence.ShouldBe(sequence);
        (int by, int number) = Records.Check(record.Bytes.Span);
        number.ShouldBe((int)sequence);
        by.ShouldBe(writer ?? by);
    }

    private static void ReadUntil(SluiceLog log, int seed, CancellationToken ends)
    {
        Random random = new(seed);
        while (!ends.IsCancellationRequested)
        {
            long first = log.FirstSequence;
            long sequence = random.NextInt64(first, Math.Max(first, log.NextSequence) + 10);
            for (int i = 0; i < 10; i++)
            {
                if (log.TryRead(sequence + i, out SluiceLogRecord record))
                {
                    record.Sequence.ShouldBe(sequence + i);
                    Records.Check(record.Bytes.Span).Number.ShouldBe((int)sequence + i);
                }
            }
        }
    }
}
