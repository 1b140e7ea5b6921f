using Sluice.Kernel;

namespace Sluice.Engines;

/// <summary>
/// The thread of a ring that takes completions while no pool thread does, and otherwise checks on the pool thread that does. It runs no
/// user code.
/// </summary>
internal sealed class CompletionThread(UringEngine engine, CompletionDuty duty)
{
    private readonly object _standby = new();

    /// <exception cref="OutOfMemoryException">The thread cannot be created.</exception>
    /// <exception cref="ThreadStartException">The thread cannot be created.</exception>
    public void Start() => new Thread(Loop) { IsBackground = true, Name = "Sluice completions" }.UnsafeStart();

    private void Loop()
    {
        WatchTurn turn = new();
        WatchStep step = WatchStep.Look;
        while (step != WatchStep.Leave)
        {
            switch (step)
            {
                case WatchStep.Look:
                    step = duty.Look(turn);
                    break;
                case WatchStep.Take:
                    int count = engine.Take(CompletionDuty.CompletionThread, null);
                    step = duty.WatcherTook(count, engine.HasCompleted);
                    break;
                case WatchStep.AskHelp:
                    engine.QueueDuty();
                    step = WatchStep.Look;
                    break;
                case WatchStep.WaitInKernel:
                    engine.WaitForCompletion();
                    step = WatchStep.Look;
                    break;
                case WatchStep.Sleep:
                    _ = SleepUnlessChanged(turn, Timeout.Infinite);
                    step = WatchStep.Look;
                    break;
                case WatchStep.Watch:
                    bool isWoken = SleepUnlessChanged(turn, Tuning.WatchMs);
                    step = duty.Watched(turn, isWoken, engine.HasCompleted, Environment.TickCount64);
                    break;
                case WatchStep.TakeOver:
                    engine.SubmitGathered();
                    step = duty.TookOver(engine.HasCompleted);
                    break;
            }
        }

        engine.Close();
    }

    /// <summary>
    /// Sleeps until the thread is woken or the time is over, unless the role has changed or the thread must end. Returns false if the time
    /// is over.
    /// </summary>
    private bool SleepUnlessChanged(WatchTurn turn, int timeoutMs)
    {
        lock (_standby)
        {
            return duty.Role != turn.Role || duty.HasEnded || Monitor.Wait(_standby, timeoutMs);
        }
    }

    /// <summary>Ends the thread's sleep.</summary>
    public void Wake()
    {
        lock (_standby)
        {
            Monitor.Pulse(_standby);
        }
    }
}
