
namespace Sluice.Memory;

/// <summary>
/// Waits that Thread.Interrupt may not break off, because something stands half done or others use the waiting caller's memory: the
/// interruption is kept for the thread's next wait. Nor may a want of memory, which .NET's locks have where they are waited for, nor the
/// caller's context, which is told of none of them (<see cref="Untold"/>).
/// </summary>
internal static class Uninterrupted
{
    public static Lock.Scope EnterUninterrupted(this Lock gate)
    {
        using Untold untold = new();
        try
        {
            return gate.EnterScope();
        }
        catch (Exception e) when (e is ThreadInterruptedException or OutOfMemoryException)
        {
            return EnterAgain(gate, e is ThreadInterruptedException);
        }
    }

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

    public static void Restore(bool isInterrupted)
    {
        if (isInterrupted)
        {
            Thread.CurrentThread.Interrupt();
        }
    }

    /// <summary>What an interruption breaks off is done again; it is kept.</summary>
    public static void UntilDone<T>(T subject, Action<T> wait) =>
        _ = UntilDone((Subject: subject, Wait: wait), static call =>
        {
            call.Wait(call.Subject);
            return true;
        });

    /// <summary>As <see cref="UntilDone{T}"/>, with a result.</summary>
    public static TResult UntilDone<T, TResult>(T subject, Func<T, TResult> wait)
    {
        using Untold untold = new();
        bool isInterrupted = false;
        try
        {
            while (true)
            {
                try
                {
                    return wait(subject);
                }
                catch (ThreadInterruptedException)
                {
                    isInterrupted = true;
                }
            }
        }
        finally
        {
            // Also where something else went wrong.
            Restore(isInterrupted);
        }
    }

    private static Lock.Scope EnterAgain(Lock gate, bool isInterrupted)
    {
        while (true)
        {
            try
            {
                Lock.Scope scope = gate.EnterScope();
                Restore(isInterrupted);
                return scope;
            }
            catch (ThreadInterruptedException)
            {
                // Again: whoever interrupted twice is heard once.
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                Sleep(1, ref isInterrupted);
            }
        }
    }
}
