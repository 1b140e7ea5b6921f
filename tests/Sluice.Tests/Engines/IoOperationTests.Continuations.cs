using System.Runtime.CompilerServices;

namespace Sluice.Tests.Engines;

// Where and how often the awaiting code goes on.
public sealed partial class IoOperationTests
{
    [Fact]
    public async Task A_second_continuation_throws_and_the_first_still_runs()
    {
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
        Task<int> first = read.AsTask();
        Should.Throw<InvalidOperationException>(() => read.GetAwaiter().UnsafeOnCompleted(() => { }));
        _engine.Complete(10);
        (await first).ShouldBe(10);
    }

    [Fact]
    public async Task The_synchronization_context_of_the_caller_runs_the_rest()
    {
        RecordingContext context = new();
        SynchronizationContext? previous = SynchronizationContext.Current;
        SynchronizationContext.SetSynchronizationContext(context);
        ConfiguredValueTaskAwaitable<int>.ConfiguredValueTaskAwaiter plain;
        TaskCompletionSource honoured = new();
        ValueTask<int> second;
        try
        {
            _handle.ReadAsync(new byte[10], 0).GetAwaiter().OnCompleted(honoured.SetResult);
            second = _handle.ReadAsync(new byte[10], 0);
            plain = second.ConfigureAwait(false).GetAwaiter();
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(previous);
        }

        _engine.Complete(10);
        context.Posted.ShouldBe(1);
        await honoured.Task;
        TaskCompletionSource ignored = new();
        plain.OnCompleted(ignored.SetResult);
        _engine.Complete(10);
        await ignored.Task;
        context.Posted.ShouldBe(1);
        plain.GetResult().ShouldBe(10);
    }

    [Fact]
    public async Task The_task_scheduler_of_the_caller_runs_the_rest()
    {
        TaskScheduler scheduler = new ConcurrentExclusiveSchedulerPair().ExclusiveScheduler;
        TaskCompletionSource submitted = new();
        Task<TaskScheduler> body = Task.Factory.StartNew(
            async () =>
            {
                ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
                submitted.SetResult();
                await read;
                return TaskScheduler.Current;
            },
            CancellationToken.None,
            TaskCreationOptions.None,
            scheduler).Unwrap();
        await submitted.Task;
        _engine.Complete(10);
        (await body).ShouldBeSameAs(scheduler);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task The_execution_context_flows_to_the_rest(bool completesFirst)
    {
        AsyncLocal<int> local = new() { Value = 42 };
        ValueTask<int> read = _handle.ReadAsync(new byte[10], 0);
        if (completesFirst)
        {
            _engine.Complete(10);
        }

        TaskCompletionSource<int> seen = new(TaskCreationOptions.RunContinuationsAsynchronously);
        ValueTaskAwaiter<int> awaiter = read.GetAwaiter();
        awaiter.OnCompleted(() => seen.SetResult(local.Value));
        local.Value = 7;
        if (!completesFirst)
        {
            using (ExecutionContext.SuppressFlow())
            {
                _engine.Complete(10);
            }
        }

        (await seen.Task).ShouldBe(42);
        awaiter.GetResult().ShouldBe(10);
        local.Value.ShouldBe(7);
    }

    [Fact]
    public async Task Completion_and_await_may_race()
    {
        byte[] buffer = new byte[100];
        for (int i = 0; i < 2_000; i++)
        {
            int length = 1 + (i % 100);
            ValueTask<int> read = _handle.ReadAsync(buffer.AsMemory(0, length), 0);
            ThreadPool.UnsafeQueueUserWorkItem(static test =>
                test._engine.Complete(test._engine.Submitted.First().Length), this, preferLocal: false);
            Thread.SpinWait(i % 97);
            (await read).ShouldBe(length);
        }
    }

    private sealed class RecordingContext : SynchronizationContext
    {
        private int _posted;

        public int Posted => Volatile.Read(ref _posted);

        public override void Post(SendOrPostCallback d, object? state)
        {
            Interlocked.Increment(ref _posted);
            ThreadPool.QueueUserWorkItem(_ => d(state));
        }
    }
}
