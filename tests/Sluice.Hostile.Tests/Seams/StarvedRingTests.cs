using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>The kernel has no memory for entries of a ring for a while: it is asked again, by the thread that waits for completions.</summary>
[Trait("Tier", "slow")]
public sealed class StarvedRingTests : HostileTests
{
    private const int ManyCalls = 10_000;
    private const int Rounds = 10;

    [SkippableFact]
    public async Task Whoever_runs_continuations_leaves_asking_again_to_the_completion_thread()
    {
        Skip.If(SluiceEngines.Default.Name != "uring", "rings alone");
        using SluiceHandle fifo =
            SluiceHandle.Open(Temp.NewFifo(), FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        int calls = 0;
        int looks = 0;
        bool isStarved = false;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call != "io_uring_enter" || !Volatile.Read(ref isStarved))
            {
                return 0;
            }

            if (IsCompletionThread ? ++looks % 20 == 0 : Interlocked.Increment(ref calls) >= ManyCalls)
            {
                Volatile.Write(ref isStarved, false);
            }

            return -Errno.EAGAIN;
        });

        // Not each of them finds a thread that leads.
        for (int round = 0; round < Rounds; round++)
        {
            await StarveAsync(fifo, () => Volatile.Write(ref isStarved, true));
        }

        calls.ShouldBeLessThan(ManyCalls);
    }

    [SkippableFact]
    public async Task What_finds_no_room_meanwhile_goes_in_afterwards_though_nothing_completes()
    {
        Skip.If(SluiceEngines.Default.Name != "uring", "rings alone");
        using Child child = new([], [], "beside a full queue", Temp.NewFifo(), Temp.NewFifo());
        await child.SucceedAsync();
    }

    private static TimeSpan Patience => TimeSpan.FromMinutes(2);

    private static bool IsCompletionThread => Thread.CurrentThread.Name == "Sluice completions";

    /// <summary>A continuation that submits where the kernel has no memory from then on.</summary>
    private static async Task StarveAsync(SluiceHandle fifo, Action starve)
    {
        Task<Task<int>> both = fifo.ReadAsync(new byte[1], 0).AsTask().ContinueWith(
            _ =>
            {
                starve();
                return fifo.ReadAsync(new byte[1], 0).AsTask();
            },
            CancellationToken.None,
            TaskContinuationOptions.ExecuteSynchronously,
            TaskScheduler.Default);
        fifo.Write([1], 0);
        Task<int> second = await both.WaitAsync(Patience);
        fifo.Write([2], 0);
        (await second.WaitAsync(Patience)).ShouldBe(1);
    }
}
