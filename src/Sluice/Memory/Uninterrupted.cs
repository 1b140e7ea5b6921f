namespace Sluice.Memory;

/// <summary>
/// Waits that Thread.Interrupt may not break off, because something stands half done or others use the waiting caller's memory: the
/// interruption is kept for the thread's next wait.
/// </summary>
internal static class Uninterrupted
{
    public static Lock.Scope EnterUninterrupted(this Lock gate)
    {
        try
        {
            return gate.EnterScope();
        }
        catch (ThreadInterruptedException)
        {
            return EnterAgain(gate);
        }
    }

    /// <summary>As <see cref="EnterUninterrupted"/>, for a lock that is left elsewhere (Lock.Exit).</summary>
    public static void LockUninterrupted(this Lock gate) => UntilDone(gate, static g => g.Enter());

    public static void JoinUninterrupted(this Thread thread) => UntilDone(thread, static t => t.Join());

    /// <summary>Thread.Sleep; <paramref name="isInterrupted"/> is set when it was interrupted, which ends it.</summary>
    public static void Sleep(int ms, ref bool isInterrupted)
    {
        try
        {
            Thread.Sleep(ms);
        }
        catch (ThreadInterruptedException)
        {
            isInterrupted = true;
        }
    }

    public static void WaitUninterrupted(this SemaphoreSlim semaphore) => UntilDone(semaphore, static s => s.Wait());

    /// <summary>Monitor.Enter; <paramref name="isInterrupted"/> is set when an interruption is to be restored at the end.</summary>
    public static void Enter(object monitor, ref bool isInterrupted)
    {
        while (true)
        {
            try
            {
                Monitor.Enter(monitor);
                return;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }
    }

    /// <summary>Monitor.Wait; true when it was pulsed or interrupted in time, false when the time is over.</summary>
    public static bool Wait(object monitor, int timeoutMs, ref bool isInterrupted)
    {
        try
        {
            return Monitor.Wait(monitor, timeoutMs);
        }
        catch (ThreadInterruptedException)
        {
            return isInterrupted = true;
        }
    }

    public static void Restore(bool isInterrupted)
    {
        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }

    private static void UntilDone<T>(T subject, Action<T> wait)
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                wait(subject);
                break;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }

        Restore(isInterrupted);
    }

    private static Lock.Scope EnterAgain(Lock gate)
    {
        while (true)
        {
            try
            {
                Lock.Scope scope = gate.EnterScope();
                Thread.CurrentThread.Interrupt();
                return scope;
            }
            catch (ThreadInterruptedException)
            {
                // Again: whoever interrupted twice is heard once.
            }
        }
    }
}
