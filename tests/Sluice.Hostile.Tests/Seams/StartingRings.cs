using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>What comes while rings are being made or refused; each a program of its own.</summary>
internal static class StartingRings
{
    /// <summary>Operations that come while the second of two rings is being made.</summary>
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

    /// <summary>The kernel refuses the third ring and those after it, if <paramref name="isRefused"/>.</summary>
    public static int Describe(bool isRefused)
    {
        RingProbe.Current.IsAvailable.ShouldBeTrue();
        int made = 0;
        SystemCallFaults.Use((call, _, _) =>
            isRefused && call == "io_uring_setup" && Interlocked.Increment(ref made) > 2 ? -Errno.EMFILE : 0);
        Console.WriteLine(SluiceEngines.RingsDescription);
        Console.WriteLine(SluiceEngines.SettingsNote);
        return 0;
    }

    /// <summary>What a program says by AppContext.</summary>
    public static int Set(string knob, string value)
    {
        AppContext.SetData(knob, value);
        Console.WriteLine(SluiceEngines.RingsDescription);
        Console.WriteLine(SluiceEngines.SettingsNote);
        return 0;
    }

    /// <summary>Threads that submit meet, again and again, until there is a second ring; where there are many processors, more.</summary>
    public static async Task<int> GrowAsync(string name)
    {
        AppContext.SetData("Sluice.ProcessorsPerRing", 1);
        using SluiceHandle handle = SluiceHandle.Open(name, FileMode.Open, FileAccess.ReadWrite);
        SluiceEngines.RingsDescription.ShouldStartWith($"1 of at most {Environment.ProcessorCount}");
        using ManualResetEventSlim isHeld = new();
        using ManualResetEventSlim goesOn = new();
        int holder = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "io_uring_enter" && Environment.CurrentManagedThreadId == Volatile.Read(ref holder))
            {
                Volatile.Write(ref holder, 0);
                isHeld.Set();
                goesOn.Wait(Watchdog.Patience);
            }

            return 0;
        });
        Task first = Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref holder, Environment.CurrentManagedThreadId);
                return handle.FlushToDiskAsync().AsTask();
            },
            TaskCreationOptions.LongRunning).Unwrap();
        isHeld.Wait(Watchdog.Patience).ShouldBeTrue();
        Task[] others = [.. Enumerable.Range(0, 1000).Select(_ => handle.FlushToDiskAsync().AsTask())];
        SpinWait.SpinUntil(static () => !SluiceEngines.RingsDescription.StartsWith("1 of", StringComparison.Ordinal), Watchdog.Patience)
            .ShouldBeTrue(SluiceEngines.RingsDescription);
        if (SluiceEngines.RingCount == Environment.ProcessorCount)
        {
            SluiceEngines.RingsDescription.ShouldBe(
                $"{Environment.ProcessorCount}, the most for {Environment.ProcessorCount} processors: threads that submit met often");
        }

        goesOn.Set();
        await first.WaitAsync(Watchdog.Patience);
        await Task.WhenAll(others).WaitAsync(Watchdog.Patience);
        for (int i = 0; i < 1000; i++)
        {
            await handle.FlushToDiskAsync().AsTask().WaitAsync(Watchdog.Patience);
        }

        return 0;
    }

    /// <summary>Nobody may enter the kernel, which says that it has no memory.</summary>
    public static int StarveFromTheBeginning()
    {
        SystemCallFaults.Use(static (call, _, _) => call == "io_uring_enter" ? -Errno.EAGAIN : 0);
        SluiceEngines.Default.Name.ShouldBe("pool");
        SluiceEngines.UringReason.ShouldNotBeNull().ShouldContain("11");
        return 0;
    }
}
