using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What closing a log does beside those who still lead its writes.</summary>
[Collection(nameof(AloneCollection))]
public sealed class ClosingTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public void Dispose() => SystemCallFaults.Use(null);

    [Fact]
    public async Task A_log_is_not_released_before_a_running_write_has_ended()
    {
        using TempFolder folder = new();
        using ManualResetEventSlim begun = new();
        using ManualResetEventSlim goes = new();
        DecidingEngine engine = new(_ =>
        {
            begun.Set();
            goes.Wait(Patience);
            return Interception.PassOn;
        });
        SluiceLog log = folder.Open(Options(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        log.Append(Records.Make(0, 1, 100));
        engine.Begin();
        Task waiting = Task.Factory.StartNew(() => log.WaitDurableAsync(2).AsTask(), TaskCreationOptions.LongRunning).Unwrap();
        try
        {
            begun.Wait(Patience).ShouldBeTrue();
            Task closing = Task.Factory.StartNew(log.Dispose, TaskCreationOptions.LongRunning);
            Should.Throw<IOException>(() => folder.Open()).Message.ShouldContain("another writer");
            closing.IsCompleted.ShouldBeFalse();
            goes.Set();
            await closing;
        }
        finally
        {
            goes.Set();
        }

        await waiting;
        using (SluiceLog again = folder.Open())
        {
            again.NextSequence.ShouldBe(3);
        }

        Records.ShouldBeInOrder(folder.ReadAll(), 1, 0);
    }

    /// <summary>Closing could not write, and somebody asks for it once more: the log may be another writer's by then.</summary>
    [Fact]
    public async Task Who_waits_for_a_log_that_was_let_go_is_told_and_writes_nothing()
    {
        using TempFolder folder = new();
        bool isClosed = false;
        int late = 0;
        DecidingEngine engine = new(_ =>
        {
            late += isClosed ? 1 : 0;
            return Interception.Fail(FailingEngine.EIO);
        });
        SluiceLog log = folder.Open(Options(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        log.Append(Records.Make(0, 1, 100));
        engine.Begin();
        Should.Throw<IOException>(log.Dispose).HResult.ShouldBe(FailingEngine.EIO);
        isClosed = true;
        using SluiceLog next = folder.Open();
        (await Should.ThrowAsync<IOException>(() => log.WaitDurableAsync(2).AsTask())).Message.ShouldContain("was closed");
        late.ShouldBe(0);
        next.Append(Records.Make(0, 1, 100)).ShouldBe(2);
        Records.ShouldBeInOrder(folder.ReadAll(), 1, 0);
    }

    private static SluiceLogOptions Options(IoEngine engine) => new()
    {
        Engine = engine,
        Durability = LogDurability.Buffered,
        Preallocate = false,
        FlushInterval = TimeSpan.FromHours(1),
    };
}
