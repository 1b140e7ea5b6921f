using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Operations that come while the second of two rings is being made; a program of its own.</summary>
internal static class StartingRings
{
    public static async Task<int> RunAsync(string name)
    {
        // It makes rings too.
        RingProbe.Current.IsAvailable.ShouldBeTrue();
        using ManualResetEventSlim isHeld = new();
        using ManualResetEventSlim goesOn = new();
        int made = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "io_uring_setup" && Interlocked.Increment(ref made) == 2)
            {
                isHeld.Set();
                goesOn.Wait(Watchdog.Patience);
            }

            return 0;
        });
        using SluiceHandle handle = SluiceHandle.Open(name, FileMode.Open, FileAccess.ReadWrite);
        Task first = Task.Factory.StartNew(() => handle.FlushToDiskAsync().AsTask(), TaskCreationOptions.LongRunning).Unwrap();
        isHeld.Wait(Watchdog.Patience).ShouldBeTrue();

        // From threads of their own, which go on when the operation has ended: so many that some are on a processor of the second ring's.
        Task[] others = new Task[4 * Environment.ProcessorCount];
        for (int i = 0; i < others.Length; i++)
        {
            others[i] = Task.Factory.StartNew(
                () =>
                {
                    for (int n = 0; n < 200; n++)
                    {
                        handle.FlushToDiskAsync().AsTask().Wait(Watchdog.Patience).ShouldBeTrue();
                    }
                },
                TaskCreationOptions.LongRunning);
        }

        await Task.WhenAll(others).WaitAsync(Watchdog.Patience);
        goesOn.Set();
        await first.WaitAsync(Watchdog.Patience);
        return 0;
    }
}
