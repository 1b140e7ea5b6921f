using Sluice.Log.Folders;
using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>Dropping a tail says that what stays is durable.</summary>
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class TruncationTests
{
    /// <summary>A tail is dropped by making a segment and flushing it, which may take long.</summary>
    [SkippableFact]
    public async Task Who_appends_asynchronously_is_not_held_up_while_a_tail_is_dropped()
    {
        Linux.OrSkip();
        TimeSpan patience = TimeSpan.FromMinutes(1);
        using TempFolder folder = new();
        using ManualResetEventSlim isDropping = new();
        using ManualResetEventSlim mayGoOn = new();
        using SluiceLog log = folder.Open(SmallLog.Options);
        log.AppendMany(0, 4, durability: LogDurability.Durable);

        Exception? error = null;
        Thread drops = new(() => error = Record.Exception(() => log.TruncateAfter(2)));
        SystemCallFaults.Use((call, fd, _) =>
        {
            if (call == "fsync" && Thread.CurrentThread == drops
                && File.ResolveLinkTarget($"/proc/self/fd/{fd}", returnFinalTarget: false)?.Name == "log.truncate")
            {
                isDropping.Set();
                mayGoOn.Wait(patience).ShouldBeTrue();
            }

            return 0;
        });
        Task<long>? appended = null;
        Task<long>? batch = null;
        Task? flushed = null;
        Task? durable = null;
        try
        {
            drops.Start();
            isDropping.Wait(patience).ShouldBeTrue();
            Exception? refusal = null;
            Thread calls = new(() => refusal = Record.Exception(() =>
            {
                appended = log.AppendAsync(Records.Make(0, 2, 100), LogDurability.Durable).AsTask();
                batch = log.AppendBatchAsync(new ReadOnlyMemory<byte>[] { Records.Make(0, 3, 100) }, LogDurability.Durable).AsTask();
                flushed = log.FlushAsync().AsTask();
                durable = log.WaitDurableAsync(4).AsTask();
            }));
            calls.Start();
            calls.Join(patience).ShouldBeTrue("it waits for the tail to be dropped");
            refusal.ShouldBeNull();
            appended!.IsCompleted.ShouldBeFalse();
            batch!.IsCompleted.ShouldBeFalse();
        }
        finally
        {
            mayGoOn.Set();
            SystemCallFaults.Use(null);
            drops.JoinInTime();
        }

        error.ShouldBeNull();
        long[] sequences = [await appended.WaitAsync(patience), await batch.WaitAsync(patience)];
        sequences.ShouldBe([3, 4], ignoreOrder: true);
        await flushed!.WaitAsync(patience);
        await durable!.WaitAsync(patience);
        folder.Sequences().ShouldBe([1, 2, 3, 4]);
        folder.Numbers().ShouldBe([0, 1, 2, 3], ignoreOrder: true);
    }
}
