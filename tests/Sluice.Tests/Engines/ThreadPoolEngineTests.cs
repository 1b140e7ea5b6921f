using Sluice.Engines;

namespace Sluice.Tests.Engines;

[Trait("Tier", "slow")]
public sealed class ThreadPoolEngineTests
{
    [SkippableFact]
    public async Task A_continuation_is_never_run_inside_the_code_that_registers_it()
    {
        Skip.If(OperatingSystem.IsWindows(), "no FIFO");
        using TempFolder temp = new();
        using SluiceHandle fifo = SluiceHandle.Open(temp.NewFifo(), new SluiceOptions
        {
            Access = FileAccess.ReadWrite,
            Share = FileShare.ReadWrite,
            Engine = ThreadPoolEngine.Instance,
        });
        TaskCompletionSource<bool> nested = new(TaskCreationOptions.RunContinuationsAsynchronously);
        var outer = fifo.ReadAsync(new byte[1], 0).ConfigureAwait(false).GetAwaiter();
        outer.UnsafeOnCompleted(() =>
        {
            // Runs on the pool thread that read. The second read has ended before its continuation is registered.
            _ = outer.GetResult();
            var inner = fifo.ReadAsync(new byte[1], 0).ConfigureAwait(false).GetAwaiter();
            SpinWait.SpinUntil(() => inner.IsCompleted);
            int thread = Environment.CurrentManagedThreadId;
            bool registering = true;
            inner.UnsafeOnCompleted(() =>
            {
                bool inside = registering && Environment.CurrentManagedThreadId == thread;
                _ = inner.GetResult();
                nested.SetResult(inside);
            });
            registering = false;
        });
        await fifo.WriteAsync(new byte[2], 0);
        (await nested.Task).ShouldBeFalse();
    }

    [SkippableFact]
    public async Task Synchronous_calls_need_no_thread_of_the_pool()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "elsewhere System.IO makes the calls");
        using TempFolder temp = new();
        (await ChildProcess.RunAsync("starved", temp.NewPath())).ShouldBe(0);
    }
}
