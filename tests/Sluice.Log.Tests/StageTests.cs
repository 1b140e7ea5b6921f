namespace Sluice.Log.Tests;

/// <summary>Those who wait where a device has died: each of them comes to an end.</summary>
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
        SyncStage syncs = new(writes, output, "log", static _ => { }, static () => { });
        ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        ring.Active.EndCopy(new Placed(ring.Active, offset, sequence), 10, 1);
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
                place.Page.EndCopy(place, 10, 1);
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
                place.Page.EndCopy(place, 10, 1);
            },
            TaskCreationOptions.LongRunning);
        await owner.WaitAsync(TimeSpan.FromMinutes(1));
        await leader.WaitAsync(TimeSpan.FromMinutes(1));
        writes.Written.ShouldBe(place.FirstSequence);
    }

    /// <summary>A page with a record that can be written, and behind it one with a place that is not filled.</summary>
    private static (PageRing Ring, WriteStage Writes, long First, Placed Place) WithReservation(LogOutput output)
    {
        PageRing ring = new(Enumerable.Range(0, 8).Select(static _ => new LogPage(4096)), output.PageStart, 1);
        WriteStage writes = new(ring, output, "log", 0, 1000, static () => { });
        LogPage written = ring.Active;
        written.TryTake(10, 1, out int offset, out long first).ShouldBeTrue();
        written.EndCopy(new Placed(written, offset, first), 10, 1);
        ring.Turn(written, out _).ShouldBe(TurnResult.Turned);
        LogPage reserved = ring.Active;
        reserved.TryTake(10, 1, out offset, out long second).ShouldBeTrue();
        return (ring, writes, first, new Placed(reserved, offset, second));
    }

    private sealed class DeadOutput(bool failsWrites) : LogOutput
    {
        public override int PageStart => 32;

        public override int RecordHeaderBytes => 0;

        public override bool NeedsHousekeeping => false;

        public override bool HasFull => false;

        public override bool IsBehind => false;

        public override long DurableSequence => 5;

        public override void Write(LogPage page)
        {
            if (failsWrites)
            {
                throw new IOException("dead");
            }
        }

        public override void TakeMark()
        {
        }

        public override void Sync() => throw new IOException("dead");

        public override void Recover() => throw new IOException("dead");

        public override void Housekeep()
        {
        }

        public override void Finish()
        {
        }

        public override void Dispose()
        {
        }
    }
}
