using Sluice.Memory;

namespace Sluice.Tests.Buffers;

/// <summary>A caller's context that .NET tells of waits, and that throws there, hears of none of the library's.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class UntoldTests
{
    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData("lock")]
    [InlineData("lock, left elsewhere")]
    [InlineData("monitor")]
    [InlineData("semaphore")]
    [InlineData("thread")]
    public void A_wait_is_not_told_to_the_callers_context(string kind)
    {
        Lock gate = new();
        object monitor = new();
        using SemaphoreSlim semaphore = new(0);
        using ManualResetEventSlim isHeld = new();
        using ManualResetEventSlim goesOn = new();
        Thread holder = new(() =>
        {
            using (gate.EnterScope())
            {
                lock (monitor)
                {
                    isHeld.Set();
                    goesOn.Wait(Patience);
                }
            }

            semaphore.Release();
        });
        holder.Start();
        isHeld.Wait(Patience).ShouldBeTrue();
        Exception? error = null;
        SynchronizationContext? context = null;
        Thread waiter = new(() =>
        {
            SynchronizationContext.SetSynchronizationContext(new ThrowingContext());
            error = Record.Exception(() => Wait(kind, gate, monitor, semaphore, holder));
            context = SynchronizationContext.Current;
        });
        waiter.Start();

        // It may sleep for a moment before it comes to the wait that is meant: so often in a row it does not.
        for (int asleep = 0; asleep < 50 && waiter.IsAlive; Thread.Sleep(1))
        {
            asleep = (waiter.ThreadState & ThreadState.WaitSleepJoin) != 0 ? asleep + 1 : 0;
        }

        goesOn.Set();
        waiter.Join(Patience).ShouldBeTrue();
        holder.Join(Patience).ShouldBeTrue();
        error.ShouldBeNull();
        context.ShouldBeOfType<ThrowingContext>();
    }

    private static void Wait(string kind, Lock gate, object monitor, SemaphoreSlim semaphore, Thread holder)
    {
        switch (kind)
        {
            case "lock":
                using (gate.EnterUninterrupted())
                {
                }

                break;
            case "lock, left elsewhere":
                gate.LockUninterrupted();
                gate.Exit();
                break;
            case "monitor":
                Uninterrupted.Hold(monitor).Dispose();
                break;
            case "semaphore":
                semaphore.WaitUninterrupted();
                break;
            default:
                holder.JoinUninterrupted();
                break;
        }
    }

    private sealed class ThrowingContext : SynchronizationContext
    {
        public ThrowingContext() => SetWaitNotificationRequired();

        public override int Wait(IntPtr[] waitHandles, bool waitAll, int millisecondsTimeout) =>
            throw new InvalidOperationException("Nobody waits here.");
    }
}
