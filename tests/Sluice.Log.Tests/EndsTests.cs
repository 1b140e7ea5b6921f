using Sluice.Log.Frames;

namespace Sluice.Log.Tests;

/// <summary>Dropping the beginning and the tail, and what is kept.</summary>
public sealed class EndsTests
{
    [Fact]
    public void A_dropped_tail_is_gone_for_good_and_its_numbers_are_given_again()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 100);

            log.TruncateAfter(63);
            log.NextSequence.ShouldBe(64);
            log.DurableSequence.ShouldBe(63);
            folder.ReadAll().Count.ShouldBe(63);
            log.Append(Records.Make(0, 63, 100)).ShouldBe(64);
            log.TruncateAfter(64);
            log.TruncateAfter(10);
            log.Append(Records.Make(0, 10, 100)).ShouldBe(11);
            Should.Throw<ArgumentOutOfRangeException>(() => log.TruncateAfter(12));
            log.Append(Records.Make(0, 11, 100)).ShouldBe(12);
        }

        folder.ShouldHave(12);
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.NextSequence.ShouldBe(13);
            log.TruncateAfter(0);
            log.Append(Records.Make(0, 5, 100)).ShouldBe(1);
        }

        folder.ReadAll().Single().Sequence.ShouldBe(1);
        folder.Segments.Length.ShouldBe(1);
    }

    [Fact]
    public void A_dropped_tail_beside_appends_leaves_no_gap()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        bool ends = false;
        Thread[] threads = Threads.Start(3, t =>
        {
            for (int i = 0; !Volatile.Read(ref ends); i++)
            {
                log.Append(Records.Make(t, i, 60));
            }
        });
        for (int run = 0; run < 10; run++)
        {
            Threads.WaitUntil(() => log.WrittenSequence >= 40);

            log.TruncateAfter(log.WrittenSequence / 2);
        }

        Volatile.Write(ref ends, true);
        threads.JoinInTime();

        folder.Numbers().Count.ShouldBe((int)log.LastSequence);
        folder.Sequences().ShouldBe(Records.Range(1, (int)log.LastSequence));
    }

    [Fact]
    public async Task Appends_that_are_dropped_while_they_wait_end()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        for (int run = 0; run < 10; run++)
        {
            Task<long>[] appends =
            [
                .. Enumerable.Range(0, 20).Select(i => Task.Run(async () =>
                    await log.AppendAsync(Records.Make(0, i, 50), i % 2 == 0 ? LogDurability.Durable : LogDurability.Written))),
            ];
            log.TruncateAfter(0);
            (await Task.WhenAll(appends).WaitAsync(TimeSpan.FromMinutes(1))).ShouldAllBe(static s => s > 0);
        }
    }

    [Fact]
    public void The_beginning_goes_by_whole_segments()
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 200);

            log.Flush();
            while (folder.Segments.Length > 0 && log.TruncateBefore(100) == 0)
            {
                // Sealing is a thread's of its own.
                Thread.Yield();
            }

            log.FirstSequence.ShouldBeInRange(2, 100);
            log.TruncateBefore(long.MaxValue);
            log.Append(Records.Make(0, 200, 100)).ShouldBe(201);
        }

        long first = folder.ShouldEndWith(201);
        using SluiceLog again = folder.Open(SmallLog.Options);
        again.NextSequence.ShouldBe(202);
        again.FirstSequence.ShouldBe(first);
    }

    [Theory]
    [InlineData("count")]
    [InlineData("bytes")]
    [InlineData("age")]
    public void What_is_not_to_be_kept_is_removed(string by)
    {
        using TempFolder folder = new();
        SluiceLogOptions options = SmallLog.With(o =>
        {
            o.RetainSegments = by == "count" ? 3 : null;
            o.RetainBytes = by == "bytes" ? 10_000 : null;
            o.RetainAge = by == "age" ? TimeSpan.Zero : null;
        });
        for (int run = 0; run < 5; run++)
        {
            using SluiceLog log = folder.Open(options);
            log.AppendMany(run * 100, 100, durability: LogDurability.Durable);

            // The thread that removes may come later than the append that made another segment; the next one may be there already.
            Threads.WaitUntil(() => folder.Segments.Length is >= 1 and <= 5);
        }

        folder.ShouldEndWith(500);
    }

    /// <summary>Nothing is appended, so that no segment becomes full: what is old goes when the log is opened, and by and by.</summary>
    [Theory]
    [InlineData(0)]
    [InlineData(2)]
    public void What_has_become_too_old_goes_without_another_append(int seconds)
    {
        using TempFolder folder = new();
        using (SluiceLog log = folder.Open(SmallLog.Options))
        {
            log.AppendMany(0, 100, 200);
        }

        folder.Segments.Length.ShouldBeGreaterThan(3);
        SluiceLogOptions options = new() { SegmentBytes = 4096, Preallocate = false, RetainAge = TimeSpan.FromSeconds(seconds) };
        using SluiceLog again = folder.Open(options);
        Threads.WaitUntil(() => folder.Segments.Length == 1);
    }

    [Fact]
    public void As_many_segments_are_kept_as_were_asked_for_with_the_one_that_is_written()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(SmallLog.With(o => (o.Durability, o.RetainSegments) = (LogDurability.Durable, 3)));
        log.AppendMany(0, 300);

        // The log's own thread removes them; whoever appends reminds it. One that was made ahead has a header alone.
        int most = 0;
        Threads.WaitUntil(() =>
        {
            log.Append([]);
            // What is in the list may be removed meanwhile.
            int begun = folder.Segments.Count(static f => new FileInfo(f) is { Exists: true, Length: > LogLayout.HeaderBytes });
            most = Math.Max(most, begun);
            return begun == 3;
        }, $"{most} were there");
    }

    [Fact]
    public void A_segment_that_is_old_enough_is_followed_by_another()
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { SegmentAge = TimeSpan.FromTicks(1), Preallocate = false });
        log.AppendMany(0, 3);
        folder.Segments.Length.ShouldBeGreaterThanOrEqualTo(2);
        folder.ShouldHave(3);
    }
}
