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
