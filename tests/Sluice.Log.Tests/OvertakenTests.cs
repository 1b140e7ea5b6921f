using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>A reader that a writer overtakes between two of its system calls.</summary>
[Collection(nameof(AloneCollection))]
public sealed class OvertakenTests : IDisposable
{
    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>Each time that it has listed the folder and opens a file, all that it has listed is removed.</summary>
    [SkippableTheory]
    [InlineData(1)]
    [InlineData(12)]
    [InlineData(40)]
    public void It_is_told_of_no_loss_where_all_that_it_has_listed_is_removed_before_it_looks(int times)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.With(o => (o.RetainSegments, o.Durability) = (1, LogDurability.Durable)));
        int number = 0;
        int overtaken = 0;
        void Append(int count)
        {
            for (int i = 0; i < count; i++)
            {
                log.Append(Records.Make(0, number++, 900));
            }
        }

        Append(1);
        using SluiceLogReader reader = folder.OpenReader(skips: true);
        reader.Next().Sequence.ShouldBe(1);
        Append(10);
        bool isInside = false;
        SystemCallSteps.UseOwn((call, _, _) =>
        {
            if (call is "openat" or "openat2" && !isInside && overtaken < times)
            {
                isInside = true;
                Append(20);
                isInside = false;
                overtaken++;
            }

            return 0;
        });
        long last = 1;
        while (reader.TryRead(out LogEntry entry))
        {
            entry.Sequence.ShouldBeGreaterThan(last);
            last = entry.Sequence;
            Records.Check(entry.Bytes).Number.ShouldBe((int)last - 1);
        }

        overtaken.ShouldBe(times);
        last.ShouldBe(number);
        reader.Damage.ShouldAllBe(static d => d.Reason.Contains("removed before it was read", StringComparison.Ordinal));
    }

    /// <summary>The reader's segment is removed from the end, others follow, and then all before it are removed from the beginning.</summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void It_is_told_of_a_removal_although_nothing_older_than_its_segment_is_left(bool skips)
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.AppendMany(0, 8, 900);
        using SluiceLogReader reader = folder.OpenReader(LogDurability.Written, skips);
        reader.ReadTo(7);
        log.TruncateAfter(3);
        log.AppendMany(3, 10, 900, writer: 1);
        log.Flush();
        log.TruncateBefore(5).ShouldBe(1);
        log.FirstSequence.ShouldBe(5);
        if (!skips)
        {
            for (int i = 0; i < 2; i++)
            {
                SluiceLogDamagedException error = Should.Throw<SluiceLogDamagedException>(() => reader.ReadToEnd());
                error.Reason.ShouldContain("removed from the end");
                error.Sequence.ShouldBe(1);
            }

            return;
        }

        List<SluiceLogRecord> records = [];
        while (reader.TryRead(out LogEntry entry))
        {
            records.Add(entry.ToRecord());
        }

        reader.Damage.ShouldContain(static d => d.Reason.Contains("removed from the end", StringComparison.Ordinal));

        // The last one of the removed segment may still come, before it is told of that.
        records.Where(static r => Records.Check(r.Bytes.Span).Writer == 1).Select(static r => r.Sequence).ShouldBe(Records.Range(5, 9));
    }

    /// <summary>It goes from one to the next without a look at all that follow.</summary>
    [SkippableFact]
    public void It_opens_no_segment_more_than_a_few_times()
    {
        Linux.OrSkip();
        const int Segments = 100;
        using TempFolder folder = new(isInMemory: true);
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.AppendMany(0, Segments * 4, 900);

        log.Flush();
        int opened = 0;
        SystemCallSteps.UseOwn((call, _, _) =>
        {
            opened += call is "openat" or "openat2" ? 1 : 0;
            return 0;
        });
        int count = 0;
        using (SluiceLogReader reader = folder.OpenReader())
        {
            foreach (LogEntry entry in reader.Entries)
            {
                Records.Check(entry.Bytes).Number.ShouldBe(count++);
            }
        }

        SystemCallFaults.Use(null);
        count.ShouldBe(Segments * 4);
        opened.ShouldBeLessThan(Segments * 12);
    }

    /// <summary>
    /// The tail is dropped faster than a reader looks at all files, so that the newest is gone each time: what it has seen of the others
    /// it does not look at again, and comes to an end.
    /// </summary>
    [SkippableTheory]
    [InlineData(false)]
    [InlineData(true)]
    public void It_opens_a_log_of_many_segments_whose_tail_is_dropped_all_the_time(bool fromEnd)
    {
        Linux.OrSkip();
        const int Segments = 60;
        const int Times = 40;
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog first = folder.Open(SmallLog.Options))
        {
            first.AppendMany(0, Segments * 4, 900);
        }

        // All full segments are sealed when the log is closed.
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.TruncateAfter((Segments * 4) - 1);
        int opened = 0;
        int dropped = 0;
        bool isInside = false;
        SystemCallSteps.UseOwn((call, _, _) =>
        {
            if (call is "openat" or "openat2" && !isInside
                && ++opened % (Segments / 2) == 0 && dropped < Times)
            {
                isInside = true;
                log.TruncateAfter((Segments * 4) - 1);
                isInside = false;
                dropped++;
            }

            return 0;
        });
        using SluiceLogReader reader = new(folder.Log, new SluiceLogReaderOptions { FromEnd = fromEnd });
        SystemCallFaults.Use(null);
        dropped.ShouldBeInRange(1, Times - 1);
        opened.ShouldBeLessThan(Segments * 6);
        reader.Entries.GetEnumerator().MoveNext().ShouldBe(!fromEnd);
    }

    /// <summary>A reader from a time on goes to the segment that has it, as one from a sequence on does.</summary>
    [SkippableFact]
    public void A_reader_from_a_time_on_does_not_go_through_all_that_is_before_it()
    {
        Linux.OrSkip();
        using TempFolder folder = new(isInMemory: true);
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 1000, 200);
        }

        // The log is closed, so each full segment has its times in a footer. The times of one without a footer are found by reading it.
        DateTimeOffset time = default;
        using (SluiceLogReader last = folder.OpenReader(from: 1000))
        {
            last.TryRead(out LogEntry entry).ShouldBeTrue();
            time = entry.Time;
        }

        int listings = CountListings(new SluiceLogReaderOptions { FromSequence = 1000 }, folder.Log);
        CountListings(new SluiceLogReaderOptions { FromTime = time }, folder.Log).ShouldBeLessThanOrEqualTo(listings + 2);
    }

    /// <summary>How often a reader opens a folder or a file until it has its first record.</summary>
    private static int CountListings(SluiceLogReaderOptions options, string directory)
    {
        using SluiceLogReader reader = new(directory, options);
        int count = 0;
        SystemCallSteps.UseOwn((call, _, _) =>
        {
            count += call is "openat" or "openat2" or "open" or "getdents64" ? 1 : 0;
            return 0;
        });
        reader.TryRead(out _).ShouldBeTrue();
        SystemCallFaults.Use(null);
        return count;
    }
}
