using Sluice.Errors;

namespace Sluice.Tests.Engines;

/// <summary>Code of listeners keeps nobody waiting, and one listener's exception takes nothing from the next.</summary>
public sealed class ListenerThreadTests
{
    [Fact]
    public void An_errand_that_blocks_or_throws_is_its_own_affair()
    {
        using ManualResetEventSlim gate = new();
        using CountdownEvent ran = new(3);
        int caller = Environment.CurrentManagedThreadId;
        List<int> order = [];
        for (int i = 0; i < 3; i++)
        {
            int number = i;
            ListenerThread.Post(() =>
            {
                gate.Wait();
                Environment.CurrentManagedThreadId.ShouldNotBe(caller);
                Thread.CurrentThread.IsThreadPoolThread.ShouldBeFalse();
                order.Add(number);
                ran.Signal();
                throw new InvalidOperationException("a listener's");
            });
        }

        // Posted, and none has run: nobody waits for the gate but the thread of the listeners.
        order.ShouldBeEmpty();
        gate.Set();
        ran.Wait(120_000).ShouldBeTrue();
        order.ShouldBe([0, 1, 2]);
    }
}
