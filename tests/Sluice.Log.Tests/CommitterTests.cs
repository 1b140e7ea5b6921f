using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Appending;

namespace Sluice.Log.Tests;

/// <summary>Those who wait for a record: each wait ends.</summary>
public sealed class CommitterTests
{
    private const int Done = 5;

    [Fact]
    public void A_failed_sync_ends_all_waits_and_nothing_is_synced_or_written_afterwards()
    {
        using DeadOutput output = new(failsWrites: false);
        (PageRing ring, Committer committer) = Make(output);
        PageReservation reserved = Fill(ring);
        Should.Throw<IOException>(() => committer.WaitDurable(reserved.FirstSequence, reserved, 1)).Message.ShouldContain("dead");
        committer.Failure.ShouldNotBeNull().Message.ShouldContain("opened again");
        committer.Written.ShouldBe(reserved.FirstSequence);
        output.Syncs.ShouldBe(1);
        PageReservation next = Fill(ring);
        Should.Throw<IOException>(() => committer.WaitDurable(next.FirstSequence, next, 1)).Message.ShouldContain("dead");
        Should.Throw<IOException>(() => committer.WaitWritten(next.FirstSequence, next, 1)).Message.ShouldContain("dead");
        committer.WaitDurable(Done, new PageReservation(null, 0, 0, 0), 0);
        (output.Syncs, committer.Written, committer.Durable).ShouldBe((1, reserved.FirstSequence, Done));
    }

    /// <summary>A footer needs a log.state on the disk that covers it.</summary>
    [Theory]
    [InlineData(Done)]
    [InlineData(Done - 1)]
    public void Full_segments_get_footers_only_if_log_state_covers_them(long sequence)
    {
        int flushes = 0;
        using DeadOutput output = new(failsWrites: false);
        PageRing ring = new([new LogPage(4096), new LogPage(4096)], output.PageStart, Done + 1);
        Committer committer = new(ring, output, "log", new StateFile(static _ => { }, () => flushes++, sequence), Done, 1000);
        committer.CloseFull().ShouldBeNull();
        output.Seals.ShouldBe(sequence == Done);
        flushes.ShouldBe(sequence == Done ? 1 : 0);
    }

    /// <summary>The record is withdrawn: it is not in the page that is written later.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void A_failed_write_fails_the_append_and_is_no_failed_sync(bool isDurable)
    {
        using DeadOutput output = new(failsWrites: true, recordHeaderBytes: 4);
        (PageRing ring, Committer committer) = Make(output);
        PageReservation reserved = Fill(ring);
        Should.Throw<IOException>(() =>
        {
            if (isDurable)
            {
                committer.WaitDurable(reserved.FirstSequence, reserved, 1);
            }
            else
            {
                committer.WaitWritten(reserved.FirstSequence, reserved, 1);
            }
        }).Message.ShouldContain("dead");
        committer.Failure.ShouldBeNull();
        (BinaryPrimitives.ReadUInt32LittleEndian(reserved.Page!.Bytes[reserved.Offset..]) >> 30).ShouldBe(3U);
        output.FailsWrites = false;
        PageReservation next = Fill(ring);
        committer.WaitWritten(next.FirstSequence, next, 1);
        committer.Written.ShouldBe(next.FirstSequence);
    }

    /// <summary>They were durable before they were removed.</summary>
    [Fact]
    public void Waits_for_records_that_were_removed_end()
    {
        using DeadOutput output = new(failsWrites: false);
        (PageRing ring, Committer committer) = Make(output);
        PageReservation removed = Fill(ring);
        committer.WaitWritten(removed.FirstSequence, removed, 1);
        ring.TryFreeze().ShouldBeTrue();
        ring.TrySealActive();
        ring.Thaw(removed.FirstSequence);
        PageReservation other = Fill(ring);
        other.FirstSequence.ShouldBe(removed.FirstSequence);
        committer.WaitWritten(removed.FirstSequence, removed, 1);
        committer.WaitDurable(removed.FirstSequence, removed, 1);
    }

    /// <summary>The write of a record fails while no other thread reserves space: its number is not given again.</summary>
    [Fact]
    public void A_ring_that_is_thawed_without_a_truncation_keeps_its_numbers()
    {
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), 32, 7);
        PageReservation unwritten = Fill(ring);
        ring.TryFreeze().ShouldBeTrue();
        ring.TrySealActive();
        ring.Thaw(null);
        ring.Epoch.ShouldBe(0);
        Fill(ring).FirstSequence.ShouldBe(unwritten.FirstSequence + 1);
    }

    /// <summary>An append that waits for the oldest page waits for a number of that epoch.</summary>
    [Fact]
    public void A_full_ring_tells_the_epoch_of_the_page_that_is_waited_for()
    {
        PageRing ring = new([new LogPage(4096), new LogPage(4096)], 32, 7);
        ring.TryFreeze().ShouldBeTrue();
        ring.Thaw(3);
        ring.Active.TryReserve(10, 1, out _, out _).ShouldBeTrue();
        ring.ActivateNext(ring.Active, out _, out _).ShouldBe(ActivationResult.Activated);
        ring.ActivateNext(ring.Active, out long last, out int epoch).ShouldBe(ActivationResult.Full);
        (last, epoch).ShouldBe((3, 1));
    }

    [Fact]
    public void A_wait_that_ends_leaves_the_others_in_the_list()
    {
        WaiterList waiters = new();
        SyncWaiter[] all = [.. Enumerable.Range(0, 3).Select(static _ => new SyncWaiter())];
        (SyncWaiter reached, SyncWaiter fails, SyncWaiter waits) = (all[0], all[1], all[2]);
        reached.Begin(3, 0, default);
        fails.Begin(5, 0, default);
        waits.Begin(9, 0, default);
        Array.ForEach(all, waiters.Push);
        waiters.Sift(3, 0, static w => w.Target == 5 ? new IOException("failed") : null);
        (reached.IsDone, fails.IsDone, waits.IsDone, waiters.IsEmpty).ShouldBe((true, true, false, false));
        reached.ThrowIfFailed();
        Should.Throw<IOException>(fails.ThrowIfFailed).Message.ShouldBe("failed");
        waiters.Sift(9, 0);
        waits.IsDone.ShouldBeTrue();
        waiters.IsEmpty.ShouldBeTrue();
    }

    /// <summary>A thread may know a page from before, and reserve space in it at any moment.</summary>
    [Fact]
    public void Nobody_gets_a_place_while_the_ring_is_frozen()
    {
        using DeadOutput output = new(failsWrites: false);
        LogPage[] pages = [new(4096), new(4096)];
        PageRing ring = new(pages, output.PageStart, Done + 1);
        Committer committer = Make(output, ring);
        bool ends = false;
        Thread other = new(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                foreach (LogPage page in pages)
                {
                    if (page.TryReserve(10, 1, out int offset, out long sequence))
                    {
                        page.EndCopy(10, 1);
                    }
                }
            }
        });
        other.Start();
        try
        {
            for (int i = 0; i < 50_000; i++)
            {
                ring.TryFreeze().ShouldBeTrue();
                committer.WaitWritten(ring.NextSequence - 1, new PageReservation(null, 0, 0, ring.Epoch), 0);
                ring.Active.ReservedCount.ShouldBe(0, $"round {i}");
                ring.Thaw(committer.Written + 1);
            }
        }
        finally
        {
            Volatile.Write(ref ends, true);
            other.JoinInTime();
        }
    }

    /// <summary>Records of a raw log may be empty: a page has no more of them than can be counted.</summary>
    [Fact]
    public void A_page_takes_no_more_records_than_it_can_count()
    {
        LogPage page = new(4096);
        page.Open(1, 0);
        page.TryReserve(0, int.MaxValue, out _, out long first).ShouldBeTrue();
        page.TryReserve(0, 1, out _, out _).ShouldBeFalse();
        first.ShouldBe(1);
        page.ReservedCount.ShouldBe(int.MaxValue);
        page.TrySeal().ShouldBeTrue();
        (page.Count, page.End).ShouldBe((int.MaxValue, 0));
    }

    [Fact]
    public void A_place_of_no_bytes_keeps_its_page()
    {
        LogPage page = new(4096);
        page.Open(1, 0);
        page.TryReserve(0, 1, out _, out _).ShouldBeTrue();
        page.TrySeal().ShouldBeTrue();
        page.IsFilled.ShouldBeFalse();
        page.EndCopy(0, 1);
        page.IsFilled.ShouldBeTrue();
    }

    private static (PageRing Ring, Committer Committer) Make(DeadOutput output)
    {
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, Done + 1);
        return (ring, Make(output, ring));
    }

    private static Committer Make(DeadOutput output, PageRing ring) =>
        new(ring, output, "log", new StateFile(static _ => { }, static () => { }, Done), Done, 1000);

    private static PageReservation Fill(PageRing ring)
    {
        ring.Active.TryReserve(10, 1, out int offset, out long sequence).ShouldBeTrue();
        PageReservation reserved = new(ring.Active, offset, sequence, ring.Active.Epoch);
        BinaryPrimitives.WriteUInt32LittleEndian(reserved.Page!.Bytes[offset..], 6);
        reserved.Page.EndCopy(10, 1);
        return reserved;
    }
}
