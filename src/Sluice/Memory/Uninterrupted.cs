using System.Buffers;

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
            Seam.Wait();
            return gate.EnterScope();
        }
        catch (Exception e) when (e is ThreadInterruptedException or OutOfMemoryException)
        {
            return EnterAgain(gate, e is ThreadInterruptedException);
        }
    }

    /// <summary>ArrayPool.Rent, which waits for a lock where the thread has no array of its own; it has taken nothing where it
    /// throws.</summary>
    public static T[] RentUninterrupted<T>(this ArrayPool<T> pool, int length) =>
        UntilDone((pool, length), static x => x.pool.Rent(x.length));

    /// <summary>
    /// ArrayPool.Return, which may wait for a lock and need memory. Where it is broken off nobody knows whether the pool has the array: it
    /// is not given a second time, and at worst the pool makes another one.
    /// </summary>
    public static void ReturnUninterrupted<T>(this ArrayPool<T> pool, T[] array)
    {
        using Untold untold = new();
        try
        {
            Seam.Wait();
            pool.Return(array);
        }
        catch (Exception e) when (e is ThreadInterruptedException or OutOfMemoryException)
        {
            Restore(e is ThreadInterruptedException);
        }
    }

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

    /// <summary>SpinWait.SpinOnce, which sleeps sooner or later; <paramref name="isInterrupted"/> is set when it is interrupted.</summary>
    /// <param name="spin">How often it was done.</param>
    /// <param name="sleepsLonger">Whether it may sleep for a millisecond at a time, and not only for a moment.</param>
    /// <param name="isInterrupted">Whether there was an interruption, now or before.</param>
    public static void SpinOnce(ref SpinWait spin, bool sleepsLonger, ref bool isInterrupted)
    {
        try
        {
            if (sleepsLonger)
            {
                spin.SpinOnce();
            }
            else
            {
                spin.SpinOnce(sleep1Threshold: -1);
            }
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
        using Untold untold = new();
        while (true)
        {
            try
            {
                Seam.Wait();
                Monitor.Enter(monitor);
                return;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                Sleep(1, ref isInterrupted);
            }
        }
    }

    /// <summary>
    /// Monitor.Wait, whose caller looks again for what it waits for; true when it was pulsed or interrupted in time, or had no memory to
    /// wait with, false when the time is over.
    /// </summary>
    public static bool Wait(object monitor, int timeoutMs, ref bool isInterrupted)
    {
        using Untold untold = new();
        try
        {
            Seam.Wait();
            Seam.QueueMemory();
            return Monitor.Wait(monitor, timeoutMs);
        }
        catch (ThreadInterruptedException)
        {
            return isInterrupted = true;
        }
        catch (OutOfMemoryException)
        {
            // Without the monitor for a moment, as in a wait.
            Monitor.Exit(monitor);
            Sleep(1, ref isInterrupted);
            Enter(monitor, ref isInterrupted);
            return true;
        }
    }

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
                    Seam.Wait();
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
