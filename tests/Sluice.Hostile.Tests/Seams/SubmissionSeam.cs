using Sluice.Engines;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>
/// A continuation that submits has the lock while another thread leaves an operation: to put that in is not the continuation's time,
/// however long the kernel takes. Else threads that meet would make all continuations look long, and meet the more for it.
/// </summary>
internal static class SubmissionSeam
{
    private const int Rounds = 20;

    public static async Task<int> RunAsync(string name)
    {
        // A leader that is in the kernel for others counts as stuck after this time: that is another matter.
        AppContext.SetData("Sluice.WatchMs", "1000");

        // Far above what these continuations take, and far below what the kernel does here.
        AppContext.SetData("Sluice.LongContinuationMicroseconds", "1000");
        using SluiceHandle handle = SluiceHandle.Open(name, FileMode.Open, FileAccess.ReadWrite);
        await handle.FlushToDiskAsync();
        UringEngine engine = (UringEngine)SluiceEngines.Default;

        // Others' noise may make a continuation long at any time: it is the same each time only where this makes it so.
        for (int attempt = 0; attempt < 5; attempt++)
        {
            for (int i = 0; i < 5000 && engine.Duty.AreContinuationsLong; i++)
            {
                await handle.FlushToDiskAsync().ConfigureAwait(false);
            }

            int rounds = 0;
            for (int i = 0; i < 1000 && rounds < Rounds; i++)
            {
                rounds += await Task.Run(() => PutsInForAnotherAsync(handle)) ? 1 : 0;
            }

            rounds.ShouldBe(Rounds);
            if (!engine.Duty.AreContinuationsLong)
            {
                return 0;
            }
        }

        return 1;
    }

    /// <summary>
    /// Whether a continuation entered the kernel to submit, and again, for long, with what another thread had left meanwhile.
    /// </summary>
    private static async Task<bool> PutsInForAnotherAsync(SluiceHandle handle)
    {
        using ManualResetEventSlim inKernel = new();
        using ManualResetEventSlim hasLeft = new();
        int thread = 0;
        int entries = 0;
        bool isOver = false;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "io_uring_enter" && Environment.CurrentManagedThreadId == Volatile.Read(ref thread))
            {
                entries++;
                inKernel.Set();
                hasLeft.Wait(Watchdog.Patience);
                Thread.Sleep(20);
            }

            return 0;
        });
        Task other = Task.Factory.StartNew(
            () =>
            {
                inKernel.Wait();
                Task left = Volatile.Read(ref isOver) ? Task.CompletedTask : handle.FlushToDiskAsync().AsTask();
                hasLeft.Set();
                return left;
            },
            CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default).Unwrap();
        await handle.FlushToDiskAsync().ConfigureAwait(false);

        // From here to the end of the submission is the continuation.
        Volatile.Write(ref thread, Environment.CurrentManagedThreadId);
        ValueTask own = handle.FlushToDiskAsync();
        Volatile.Write(ref thread, 0);
        await own.ConfigureAwait(false);
        Volatile.Write(ref isOver, true);
        inKernel.Set();
        await other.ConfigureAwait(false);
        SystemCallFaults.Use(null);
        return entries > 1;
    }
}
