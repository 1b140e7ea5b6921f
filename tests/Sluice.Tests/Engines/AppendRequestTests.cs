using System.Runtime.CompilerServices;
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
            request = AppendRequest.Rent();
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

    /// <summary>
    /// What .NET makes of an interruption and a signal that come together is its own affair: the next completion wakes as ever. By a thread
    /// that has to take the monitor back between both, which is what tells them apart for .NET.
    /// </summary>
    [Fact]
    public void A_completion_that_meets_an_interruption_is_not_the_last_that_wakes()
    {
        const int rounds = 40;
        AppendRequest? request = null;
        int parked = 0;
        int woken = 0;
        Exception? error = null;
        var thread = new Thread(() => error = Record.Exception(() =>
        {
            request = AppendRequest.Rent();
            for (int round = 1; round <= rounds; round++)
            {
                request.Begin(address: 0, length: 1, isHeld: true);
                request.TryPark().ShouldBeTrue();
                Volatile.Write(ref parked, round);
                request.Sleep();
                request.State.ShouldBe(AppendState.Done);
                Volatile.Write(ref woken, round);

                // An interruption is kept for this one.
                _ = Record.Exception(static () => Thread.Sleep(0));
            }
        }));
        thread.Start();
        for (int round = 1; round <= rounds; round++)
        {
            SpinWait.SpinUntil(() => Volatile.Read(ref parked) == round && (thread.ThreadState & ThreadState.WaitSleepJoin) != 0);
            if (round % 2 == 0)
            {
                request!.Complete(round);
            }
            else
            {
                lock (Bed(request!))
                {
                    thread.Interrupt();
                    for (int i = 0; i < 1000; i++)
                    {
                        // It leaves its wait, and waits for the monitor.
                        Thread.Yield();
                    }

                    request!.Complete(round);
                }
            }

            SpinWait.SpinUntil(() => Volatile.Read(ref woken) == round || !thread.IsAlive, TimeSpan.FromMinutes(2))
                .ShouldBeTrue($"round {round}: it sleeps on");
        }

        thread.Join();
        error.ShouldBeNull();
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_bed")]
    private static extern ref object Bed(AppendRequest request);
}
