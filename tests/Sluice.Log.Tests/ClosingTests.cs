using Sluice.Uring;

namespace Sluice.Log.Tests;

/// <summary>What closing a log does beside those who still lead its writes.</summary>
[Collection(nameof(AloneCollection))]
public sealed class ClosingTests : IDisposable
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    public void Dispose() => SystemCallFaults.Use(null);

    /// <summary>Closing could not write; another thread tries what is left once more, and is at it when the closing goes on.</summary>
    [Fact]
    public async Task A_log_is_let_go_when_the_writes_of_others_have_ended()
    {
        using TempFolder folder = new();
        using ManualResetEventSlim begun = new();
        using ManualResetEventSlim goes = new();
        SluiceLog? log = null;
        int closer = 0;
        Task waiting = Task.CompletedTask;
        Thread other = new(() => waiting = log!.WaitDurableAsync(2).AsTask()) { IsBackground = true };
        DecidingEngine engine = new(number =>
        {
            switch (number)
            {
                case 1:
                    return Interception.Fail(FailingEngine.EIO);
                case 2:
                    other.Start();
                    SpinWait.SpinUntil(() => (other.ThreadState & ThreadState.WaitSleepJoin) != 0, Patience);
                    Volatile.Write(ref closer, Environment.CurrentManagedThreadId);
                    return Interception.Fail(FailingEngine.EIO);
                case 3:
                    begun.Set();
                    goes.Wait(Patience);
                    return Interception.PassOn;
                default:
                    return Interception.PassOn;
            }
        });
        log = SluiceLog.Open(folder.Log, Options(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        log.Append(Records.Make(0, 1, 100));
        engine.Begin();
        SystemCallFaults.Use((call, _, _) =>
        {
            // A lock is given up: not before the other thread's write has begun.
            if (call == "fcntl" && Environment.CurrentManagedThreadId == Volatile.Read(ref closer))
            {
                begun.Wait(Patience);
            }

            return 0;
        });
        Task closing = Task.Factory.StartNew(log.Dispose, TaskCreationOptions.LongRunning);
        try
        {
            begun.Wait(Patience).ShouldBeTrue();
            (await Task.WhenAny(closing, Task.Delay(500))).ShouldNotBe(closing);
            Should.Throw<IOException>(() => SluiceLog.Open(folder.Log)).Message.ShouldContain("another writer");
        }
        finally
        {
            goes.Set();
            other.JoinInTime();
        }

        (await Should.ThrowAsync<IOException>(() => closing)).HResult.ShouldBe(FailingEngine.EIO);

        // It may have begun to wait for the write that failed at the closing.
        (await Record.ExceptionAsync(() => waiting))?.HResult.ShouldBe(FailingEngine.EIO);
        using (SluiceLog again = SluiceLog.Open(folder.Log))
        {
            again.NextSequence.ShouldBe(3);
        }

        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
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
        SluiceLog log = SluiceLog.Open(folder.Log, Options(engine));
        log.Append(Records.Make(0, 0, 100), LogDurability.Durable);
        log.Append(Records.Make(0, 1, 100));
        engine.Begin();
        Should.Throw<IOException>(log.Dispose).HResult.ShouldBe(FailingEngine.EIO);
        isClosed = true;
        using SluiceLog next = SluiceLog.Open(folder.Log);
        (await Should.ThrowAsync<IOException>(() => log.WaitDurableAsync(2).AsTask())).Message.ShouldContain("was closed");
        late.ShouldBe(0);
        next.Append(Records.Make(0, 1, 100)).ShouldBe(2);
        Records.ShouldBeInOrder(Records.ReadAll(folder.Log), 1, 0);
    }

    private static SluiceLogOptions Options(IoEngine engine) => new()
    {
        Engine = engine,
        Durability = LogDurability.Buffered,
        Preallocate = false,
        FlushInterval = TimeSpan.FromHours(1),
    };
}
