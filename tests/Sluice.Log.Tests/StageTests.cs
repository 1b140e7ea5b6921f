using System.Buffers.Binary;
using Sluice.Log.Folders;
using Sluice.Log.Stages;

namespace Sluice.Log.Tests;

/// <summary>Those who wait where a device has died: each of them comes to an end.</summary>
[Trait("Tier", "slow")]
public sealed class StageTests
{
    /// <summary>
    /// A thread looks how far the log is, and waits when its records have been written or synced since. Everything fails from then on.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_came_when_it_was_done_does_not_wait_for_a_device_that_has_died(bool isDurable)
    {
        const int done = 5;
        using DeadOutput output = new(failsWrites: !isDurable);
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, done + 1);
        WriteStage writes = new(ring, output, "log", done, 1000, static () => { });
        SyncStage syncs = new(writes, output, "log", new DurableMark(static _ => { }, static () => { }, 0));
        ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        ring.Active.EndCopy(10, 1);
        sequence.ShouldBe(done + 1);
        SyncWaiter late = new();
        SyncWaiter next = new();
        late.Begin(done, 0, default);
        next.Begin(sequence, 0, default);
        WaiterList waiters = isDurable ? syncs.Waiters : writes.Waiters;
        waiters.Push(late);
        waiters.Push(next);
        if (isDurable)
        {
            syncs.TryLead();
        }
        else
        {
            writes.TryLead();
        }

        late.IsDone.ShouldBeTrue();
        late.ThrowIfFailed();
        next.IsDone.ShouldBeTrue();
        Should.Throw<IOException>(next.ThrowIfFailed);
        waiters.IsEmpty.ShouldBeTrue();
    }

    /// <summary>
    /// A thread that has a place which it has not filled sleeps until another page is written; who writes that waits for the place next.
    /// </summary>
    [Fact]
    public async Task Who_sleeps_for_a_page_that_is_written_is_woken_before_its_own_place_is_waited_for()
    {
        using DeadOutput output = new(failsWrites: false);
        (_, WriteStage writes, long first, Placed place) = WithReservation(output);
        SyncWaiter waiter = new();
        waiter.Begin(first, 0, default);
        writes.Waiters.Push(waiter);
        waiter.TryPark().ShouldBeTrue();
        writes.Waiters.AddSleeper();
        Task owner = Task.Factory.StartNew(
            () =>
            {
                waiter.Sleep();
                place.Page.EndCopy(10, 1);
            },
            TaskCreationOptions.LongRunning);
        await Task.Factory.StartNew(writes.TryLead, TaskCreationOptions.LongRunning).WaitAsync(TimeSpan.FromMinutes(1));
        await owner.WaitAsync(TimeSpan.FromMinutes(1));
        writes.Written.ShouldBe(place.FirstSequence);
    }

    /// <summary>As before, where that thread looked whether the page is written just before it was, and falls asleep just behind.</summary>
    [Fact]
    public async Task Who_falls_asleep_for_a_page_while_its_own_place_is_waited_for_is_woken()
    {
        using DeadOutput output = new(failsWrites: false);
        (PageRing ring, WriteStage writes, long first, Placed place) = WithReservation(output);
        Task leader = Task.Factory.StartNew(writes.TryLead, TaskCreationOptions.LongRunning);
        SpinWait.SpinUntil(() => writes.Written == first && ring.Active != place.Page, TimeSpan.FromMinutes(1)).ShouldBeTrue();
        Task owner = Task.Factory.StartNew(
            () =>
            {
                SyncWaiter waiter = new();
                waiter.Begin(first, 0, default);
                writes.Waiters.Push(waiter);
                writes.Await(waiter);
                place.Page.EndCopy(10, 1);
            },
            TaskCreationOptions.LongRunning);
        await owner.WaitAsync(TimeSpan.FromMinutes(1));
        await leader.WaitAsync(TimeSpan.FromMinutes(1));
        writes.Written.ShouldBe(place.FirstSequence);
    }

    /// <summary>
    /// A thread has filled its place, and the tail that it stands in is dropped before the thread waits. Then the disk fails: what has that
    /// place by now is another's.
    /// </summary>
    [Fact]
    public void Who_comes_late_for_a_record_that_was_dropped_withdraws_nobody_elses()
    {
        using DeadOutput output = new(failsWrites: false, recordHeaderBytes: 4);
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, 1);
        WriteStage writes = new(ring, output, "log", 0, 1000, static () => { });
        _ = Fill(ring);
        Placed dropped = Fill(ring);
        ring.TryFreeze(60_000).ShouldBeTrue();
        writes.WriteAll().ShouldBeNull();
        ring.Thaw(1);
        writes.Restart(0);
        output.FailsWrites = true;

        // The first behind the drop is in another page, which cannot be written; then that of the dropped one is filled again.
        Fill(ring).FirstSequence.ShouldBe(1);
        writes.WriteAll().ShouldNotBeNull();
        _ = Fill(ring);
        Placed other = Fill(ring);
        (other.Page, other.Offset).ShouldBe((dropped.Page, dropped.Offset));
        SyncWaiter late = new();
        late.Begin(dropped.FirstSequence, 1, dropped);
        SyncWaiter waits = new();
        waits.Begin(other.FirstSequence - 1, 0, default);
        writes.Waiters.Push(late);
        writes.Waiters.Push(waits);
        writes.WriteAll().ShouldNotBeNull();
        late.IsDone.ShouldBeTrue();
        Should.Throw<IOException>(late.ThrowIfFailed).Message.ShouldContain("dropped by TruncateAfter");
        Should.Throw<IOException>(waits.ThrowIfFailed).Message.ShouldContain("dead");
        BinaryPrimitives.ReadUInt32LittleEndian(other.Page.Bytes[other.Offset..]).ShouldBe(6U);

        static Placed Fill(PageRing ring)
        {
            ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
            Placed place = new(ring.Active, offset, sequence);
            BinaryPrimitives.WriteUInt32LittleEndian(place.Page.Bytes[offset..], 6);
            place.Page.EndCopy(10, 1);
            return place;
        }
    }

    /// <summary>
    /// The log is closed, and its threads are gone, when a thread comes to wait for a record that was dropped before: nobody writes for it
    /// again and again.
    /// </summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public void Who_waits_for_what_was_dropped_is_told_behind_the_end(bool isDurable)
    {
        const int done = 5;
        using DeadOutput output = new(failsWrites: false);
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, done + 1);
        WriteStage writes = new(ring, output, "log", done, 1000, static () => { });
        SyncStage syncs = new(writes, output, "log", new DurableMark(static _ => { }, static () => { }, done));
        ring.Close();
        writes.End();
        syncs.End();
        SyncWaiter dropped = new();
        SyncWaiter flushes = new();
        dropped.Begin(done + 10, 0, default);
        flushes.Begin(done + 10, LogWaiter.Any, default);
        WaiterList waiters = isDurable ? syncs.Waiters : writes.Waiters;
        waiters.Push(dropped);
        waiters.Push(flushes);
        if (isDurable)
        {
            syncs.TryLead();
        }
        else
        {
            writes.TryLead();
        }

        dropped.IsDone.ShouldBeTrue();
        Should.Throw<IOException>(dropped.ThrowIfFailed).Message.ShouldContain("dropped by TruncateAfter");
        flushes.IsDone.ShouldBeTrue();
        flushes.ThrowIfFailed();
        waiters.IsEmpty.ShouldBeTrue();
    }

    /// <summary>To close a file may take long: nobody who waits for a sync waits for that.</summary>
    [Fact]
    public void What_is_sealed_is_closed_by_nobody_who_has_a_stage()
    {
        SyncStage? syncs = null;
        WriteStage? writes = null;
        List<bool> held = [];
        using DeadOutput output = new(failsWrites: false)
        {
            Sealed = new Closing(() => held.Add(syncs!.Gate.IsHeldByCurrentThread || writes!.Gate.IsHeldByCurrentThread)),
        };
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, 6);
        writes = new WriteStage(ring, output, "log", 5, 1000, static () => { });
        syncs = new SyncStage(writes, output, "log", new DurableMark(static _ => { }, static () => { }, 5));
        syncs.CloseFull();
        held.ShouldBe([false]);
    }

    /// <summary>What has failed may be a want of memory.</summary>
    [Fact]
    public void Telling_of_an_error_needs_no_memory()
    {
        using DeadOutput output = new(failsWrites: true);
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, 6);
        WriteStage writes = new(ring, output, "log", 5, 1000, static () => { });
        Exception error = new OutOfMemoryException();
        WaiterList waiters = new();
        SyncWaiter waiter = new();
        waiter.Begin(6, LogWaiter.Any, default);
        waiters.Push(waiter);
        writes.Fail(waiters, error);
        waiter.IsDone.ShouldBeTrue();
        writes.LastError.Error.ShouldBe(error);
        long before = GC.GetAllocatedBytesForCurrentThread();
        writes.Fail(waiters, error);
        waiters.Fail(0, writes.WhyDropped);
        waiters.FailOther(1, 0, writes.WhyDropped);
        waiters.Complete(10);
        (GC.GetAllocatedBytesForCurrentThread() - before).ShouldBe(0);
    }

    /// <summary>A number that was dropped may be another record's by now, whose append waits as well.</summary>
    [Fact]
    public void Of_those_who_wait_for_a_number_only_those_whose_records_were_dropped_fail()
    {
        WaiterList waiters = new();
        SyncWaiter[] all = [.. Enumerable.Range(0, 4).Select(static _ => new SyncWaiter())];
        (SyncWaiter dropped, SyncWaiter live, SyncWaiter forMemory, SyncWaiter reached) = (all[0], all[1], all[2], all[3]);
        dropped.Begin(5, 0, default, epoch: 0);
        live.Begin(5, 0, default, epoch: 1);
        forMemory.Begin(5, LogWaiter.Any, default, epoch: -1);
        reached.Begin(3, 0, default, epoch: 0);
        Array.ForEach(all, waiters.Push);
        waiters.FailOther(1, 3, static (w, _) => w.OwnRecords == LogWaiter.Any ? null : new IOException("dropped"));
        dropped.IsDone.ShouldBeTrue();
        Should.Throw<IOException>(dropped.ThrowIfFailed).Message.ShouldBe("dropped");
        forMemory.IsDone.ShouldBeTrue();
        forMemory.ThrowIfFailed();
        live.IsDone.ShouldBeFalse();
        reached.IsDone.ShouldBeFalse();
        waiters.Complete(5);
        live.IsDone.ShouldBeTrue();
        reached.IsDone.ShouldBeTrue();
        live.ThrowIfFailed();
    }

    /// <summary>A ring counts where its numbers begin anew, so that a place says whether it is of before.</summary>
    [Fact]
    public void A_ring_is_in_another_epoch_only_where_something_was_dropped()
    {
        using DeadOutput output = new(failsWrites: false);
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, 1);
        WriteStage writes = new(ring, output, "log", 0, 1000, static () => { });
        ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        Placed place = new(ring.Active, offset, sequence);
        place.Page.EndCopy(10, 1);
        Thaw(2).ShouldBe(0);
        Thaw(1).ShouldBe(1);
        ring.NextSequenceIn(out int epoch).ShouldBe(1);
        epoch.ShouldBe(1);
        ring.Active.Epoch.ShouldBe(1);
        place.Epoch.ShouldBe(0);

        int Thaw(long next)
        {
            ring.TryFreeze(60_000).ShouldBeTrue();
            writes.WriteAll().ShouldBeNull();
            ring.Thaw(next);
            return ring.Epoch;
        }
    }

    /// <summary>
    /// A thread that knows a page from before asks it for a place at any moment, also where that page is turned to while nobody is to get
    /// one: a record there would be overwritten by the next one.
    /// </summary>
    [Fact]
    public void Nobody_gets_a_place_in_a_page_that_is_turned_to_while_the_ring_is_frozen()
    {
        using DeadOutput output = new(failsWrites: false);
        LogPage[] pages = [new(4096), new(4096)];
        PageRing ring = new(pages, output.PageStart, 1);
        WriteStage writes = new(ring, output, "log", 0, 1000, static () => { });
        bool ends = false;
        Thread other = new(() =>
        {
            while (!Volatile.Read(ref ends))
            {
                foreach (LogPage page in pages)
                {
                    if (page.TryTake(10, 1, out int offset, out long sequence))
                    {
                        page.EndCopy(10, 1);
                    }
                }
            }
        });
        other.Start();
        try
        {
            for (int i = 0; i < 200_000; i++)
            {
                ring.TryFreeze(60_000).ShouldBeTrue();
                writes.WriteAll().ShouldBeNull();
                ring.Active.TakenCount.ShouldBe(0, $"round {i}");
                ring.Thaw(writes.Written + 1);
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
        page.TryTake(0, int.MaxValue, out _, out long first).ShouldBeTrue();
        page.TryTake(0, 1, out _, out _).ShouldBeFalse();
        first.ShouldBe(1);
        page.TakenCount.ShouldBe(int.MaxValue);
        page.TrySeal().ShouldBeTrue();
        (page.Count, page.End).ShouldBe((int.MaxValue, 0));
    }

    /// <summary>A record of a raw log may have no bytes: until its thread has read the page's numbers, the page is nobody else's.</summary>
    [Fact]
    public void A_place_of_no_bytes_keeps_its_page()
    {
        LogPage page = new(4096);
        page.Open(1, 0);
        page.TryTake(0, 1, out int offset, out long sequence).ShouldBeTrue();
        page.TrySeal().ShouldBeTrue();
        page.IsFilled.ShouldBeFalse();
        page.EndCopy(0, 1);
        page.IsFilled.ShouldBeTrue();
    }

    /// <summary>A page with a record that can be written, and behind it one with a place that is not filled.</summary>
    private static (PageRing Ring, WriteStage Writes, long First, Placed Place) WithReservation(LogOutput output)
    {
        PageRing ring = new(Enumerable.Range(0, 8).Select(static _ => new LogPage(4096)), output.PageStart, 1);
        WriteStage writes = new(ring, output, "log", 0, 1000, static () => { });
        LogPage written = ring.Active;
        written.TryTake(10, 1, out int offset, out long first).ShouldBeTrue();
        written.EndCopy(10, 1);
        ring.Turn(written, out _).ShouldBe(TurnResult.Turned);
        LogPage reserved = ring.Active;
        reserved.TryTake(10, 1, out offset, out long second).ShouldBeTrue();
        return (ring, writes, first, new Placed(reserved, offset, second));
    }

    private sealed class Closing(Action closes) : IDisposable
    {
        public void Dispose() => closes();
    }
}
