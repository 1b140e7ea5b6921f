using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Reads of an empty pipe that are cancelled before the kernel has them, or when it does not let anybody in any more.</summary>
internal static class CancelSeam
{
    private const int Steps = 50;

    /// <summary>Not each of them finds a thread that leads and is watched.</summary>
    private const int Rounds = 20;

    /// <summary>As many as the submission queue has room for, which is the least; a program of its own.</summary>
    public static async Task<int> FillAsync(string empty, string full)
    {
        AppContext.SetData("Sluice.RingEntries", 8);
        AppContext.SetData("Sluice.WatchMs", 50);
        await CancelFirstAsync(empty, full, (int)Tuning.RingEntries, static source => source.Cancel());
        return 0;
    }

    /// <summary>The request to cancel is the first that the kernel refuses; a program of its own, since that is for good.</summary>
    public static async Task<int> RefuseAsync(string empty, int errno)
    {
        using SluiceHandle handle = Open(empty);
        using CancellationTokenSource source = new();
        Task<int> read = handle.ReadAsync(new byte[1], 0, source.Token).AsTask();
        Task<int> other = handle.ReadAsync(new byte[1], 0).AsTask();
        SystemCallFaults.Use((call, _, _) => call == "io_uring_enter" ? -errno : 0);
        await source.CancelAsync();
        await Watchdog.EndsAsync(() => Should.ThrowAsync<OperationCanceledException>(read), "what was cancelled");
        other.IsCompleted.ShouldBeFalse();
        handle.Write([1], 0);
        (await other.WaitAsync(Watchdog.Patience)).ShouldBe(1);
        SluiceEngines.UringReason.ShouldNotBeNull().ShouldContain("io_uring_enter");
        return 0;
    }

    /// <summary>Cancels the first of so many reads of an empty pipe from where they were begun, by whoever leads there.</summary>
    public static async Task CancelFirstAsync(string empty, string full, int count, Action<CancellationTokenSource> cancel)
    {
        using SluiceHandle silent = Open(empty);
        using SluiceHandle busy = Open(full);
        for (int round = 0; round < Rounds; round++)
        {
            using CancellationTokenSource first = new();
            using CancellationTokenSource others = new();
            Task<int>[] reads = new Task<int>[count];
            await Watchdog.EndsAsync(
                async () =>
                {
                    for (int i = 0; i < Steps; i++)
                    {
                        ValueTask<int> read = busy.ReadAsync(new byte[1], 0);
                        busy.Write([1], 0);
                        _ = await read.ConfigureAwait(false);
                    }

                    for (int i = 0; i < count; i++)
                    {
                        reads[i] = silent.ReadAsync(new byte[1], 0, (i == 0 ? first : others).Token).AsTask();
                    }

                    cancel(first);
                    await Should.ThrowAsync<OperationCanceledException>(reads[0]);
                },
                $"round {round}");
            await others.CancelAsync();
            await Watchdog.EndsAsync(
                () => Task.WhenAll(reads.Select(static r => Should.ThrowAsync<OperationCanceledException>(r))), $"the others of {round}");
        }
    }

    private static SluiceHandle Open(string fifo) => SluiceHandle.Open(fifo, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
}
