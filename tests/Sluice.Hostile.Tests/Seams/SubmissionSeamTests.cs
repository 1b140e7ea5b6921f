using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Whoever submits to a ring does not wait for a call of the kernel that another thread makes to submit there.</summary>
public sealed class SubmissionSeamTests : HostileTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromSeconds(30);

    public override void Dispose()
    {
        SystemCallFaults.Use(null);
        base.Dispose();
    }

    [SkippableFact]
    public async Task A_submission_does_not_wait_for_one_that_is_in_the_kernel()
    {
        Skip.If(SluiceEngines.Default.Name != "uring", "the pool takes one operation at a time");
        using SluiceHandle handle = SluiceHandle.Open(Temp.NewFile(new byte[4096]), FileMode.Open, FileAccess.ReadWrite);
        await handle.FlushToDiskAsync();
        using ManualResetEventSlim inKernel = new();
        using ManualResetEventSlim hasSubmitted = new();
        bool hasWaited = false;
        int slow = 0;
        SystemCallFaults.Use((call, _, _) =>
        {
            if (call == "io_uring_enter" && Environment.CurrentManagedThreadId == Volatile.Read(ref slow))
            {
                Volatile.Write(ref slow, 0);
                inKernel.Set();
                Volatile.Write(ref hasWaited, !hasSubmitted.Wait(Patience));
            }

            return 0;
        });
        Task[] flushes = [Task.CompletedTask, .. new Task[5]];
        Thread first = new(() =>
        {
            Volatile.Write(ref slow, Environment.CurrentManagedThreadId);
            flushes[0] = handle.FlushToDiskAsync().AsTask();
        });
        first.Start();
        Thread second = new(() =>
        {
            inKernel.Wait();
            for (int i = 1; i < flushes.Length; i++)
            {
                flushes[i] = handle.FlushToDiskAsync().AsTask();
            }

            hasSubmitted.Set();
        });
        second.Start();
        first.Join();
        second.Join();
        hasWaited.ShouldBeFalse();
        await Task.WhenAll(flushes).WaitAsync(Patience);
    }
}
