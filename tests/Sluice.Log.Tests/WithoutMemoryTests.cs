using Sluice.Log.Folders;
using Sluice.Log.Stages;

namespace Sluice.Log.Tests;

/// <summary>A want of memory anywhere: who waits is told.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class WithoutMemoryTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    /// <summary>Nothing was synced then, so that nothing has failed but the call.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Who_waits_for_a_sync_is_told_where_its_mark_cannot_be_taken(bool isAwaited)
    {
        const int done = 5;
        OutOfMemoryException noMemory = new();
        using DeadOutput output = new(failsWrites: false) { MarkError = noMemory };
        PageRing ring = new(Enumerable.Range(0, 4).Select(static _ => new LogPage(4096)), output.PageStart, done + 1);
        WriteStage writes = new(ring, output, "log", done, 1000, static () => { });
        SyncStage syncs = new(writes, output, "log", new DurableMark(static _ => { }, static () => { }, done));
        ring.Active.TryTake(10, 1, out int offset, out long sequence).ShouldBeTrue();
        Placed place = new(ring.Active, offset, sequence);
        ring.Active.EndCopy(place, 10, 1);
        Exception? told;
        if (isAwaited)
        {
            syncs.Start();
            try
            {
                AsyncWaiter waiter = AsyncWaiter.Rent(sequence, 1, place, sequence);
                Task<long> wait = waiter.Task.AsTask();
                syncs.Waiters.Push(waiter);
                syncs.Signal();
                told = await Record.ExceptionAsync(() => wait.WaitAsync(Patience));
            }
            finally
            {
                syncs.End();
            }
        }
        else
        {
            SyncWaiter waiter = new();
            waiter.Begin(sequence, 0, default);
            syncs.Waiters.Push(waiter);
            syncs.TryLead();
            waiter.IsDone.ShouldBeTrue();
            told = Record.Exception(waiter.ThrowIfFailed);
        }

        told.ShouldBeOfType<IOException>().InnerException.ShouldBe(noMemory);
        syncs.LastError.Error.ShouldBe(noMemory);
        syncs.Waiters.IsEmpty.ShouldBeTrue();
    }
}
