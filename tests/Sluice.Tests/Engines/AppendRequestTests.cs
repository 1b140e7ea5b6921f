using Sluice.Handles;

namespace Sluice.Tests.Engines;

public sealed class AppendRequestTests
{
    [Fact]
    public void An_interrupted_append_sleeps_on_until_its_memory_is_done_with()
    {
        AppendRequest? request = null;
        bool isParked = false;
        Exception? fromSleep = null;
        Exception? afterwards = null;
        var thread = new Thread(() =>
        {
            request = AppendRequest.ForThisThread;
            request.Begin(address: 0, length: 1, isHeld: true);
            request.TryPark().ShouldBeTrue();

            // A plain mark: the thread waits for nothing but what it sleeps for.
            Volatile.Write(ref isParked, true);
            fromSleep = Record.Exception(request.Sleep);
            afterwards = Record.Exception(() => Thread.Sleep(TimeSpan.FromMinutes(1)));
        });
        thread.Start();
        SpinWait.SpinUntil(() => Volatile.Read(ref isParked));
        SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0);
        thread.Interrupt();
        // Once it has been woken by that it sleeps again; only the completion may end this.
        Thread.Yield();
        SpinWait.SpinUntil(() => (thread.ThreadState & ThreadState.WaitSleepJoin) != 0);
        request!.Complete(7);
        thread.Join();
        fromSleep.ShouldBeNull();
        afterwards.ShouldBeOfType<ThreadInterruptedException>();
        request.State.ShouldBe(AppendState.Done);
        request.Result.ShouldBe(7);
    }
}
