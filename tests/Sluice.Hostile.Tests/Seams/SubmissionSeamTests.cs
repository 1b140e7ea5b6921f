using Sluice.Engines;
using Sluice.Errors;
using Sluice.Uring;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Whoever submits to a ring does not wait for a call of the kernel that another thread makes to submit there.</summary>
public sealed class SubmissionSeamTests : HostileTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [SkippableFact]
    public async Task A_submission_does_not_wait_for_one_that_is_in_the_kernel()
    {
        Task[] flushes = new Task[5];
        (await BesideOneInTheKernel(handle =>
        {
            for (int i = 0; i < flushes.Length; i++)
            {
                flushes[i] = handle.FlushToDiskAsync().AsTask();
            }

            return Task.WhenAll(flushes);
        })).ShouldBeFalse();
    }

    /// <summary>
    /// What is cancelled between its beginning and its submission ends once: not here, and once more by whoever has the lock, when it may
    /// be another caller's operation.
    /// </summary>
    [SkippableFact]
    public async Task What_is_cancelled_before_its_submission_is_not_left_to_another_thread()
    {
        Task[] flushes = new Task[50];
        (await BesideOneInTheKernel(handle =>
        {
            for (int i = 0; i < flushes.Length; i++)
            {
                IoOperation operation = IoOperation.ForFlush(handle, IoVerb.Flush, new CancellationToken(canceled: true));
                Task cancelled = operation.StartTask().AsTask();
                Should.Throw<OperationCanceledException>(() => cancelled.WaitAsync(Patience).GetAwaiter().GetResult());

                // Most likely the same object.
                flushes[i] = handle.FlushToDiskAsync().AsTask();
            }

            return Task.WhenAll(flushes);
        })).ShouldBeFalse();
    }

    /// <summary>Submits while another thread is in the kernel to submit; whether it had to wait for that one.</summary>
    private async Task<bool> BesideOneInTheKernel(Func<SluiceHandle, Task> submit)
    {
        SkipWithoutRing();
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
        Task? held = null;
        Task? submitted = null;
        Task first = Task.Factory.StartNew(
            () =>
            {
                Volatile.Write(ref slow, Environment.CurrentManagedThreadId);
                held = handle.FlushToDiskAsync().AsTask();
            },
            TaskCreationOptions.LongRunning);
        Task second = Task.Factory.StartNew(
            () =>
            {
                inKernel.Wait();
                submitted = submit(handle);
                hasSubmitted.Set();
            },
            TaskCreationOptions.LongRunning);
        await first;
        await second;
        await Task.WhenAll(held!, submitted!).WaitAsync(Patience);
        return hasWaited;
    }
}
