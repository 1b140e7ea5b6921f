namespace Sluice.Log;

/// <summary>
/// Enters locks inside the log's own work, where <see cref="Thread.Interrupt"/> must not surface: a thread that writes for others would
/// fail their appends, or leave a frame written and not noted. The interruption surfaces at the thread's next wait.
/// </summary>
internal static class LockExtensions
{
    public static Lock.Scope EnterAlways(this Lock innerLock)
    {
        bool isInterrupted = false;
        while (true)
        {
            try
            {
                Lock.Scope scope = innerLock.EnterScope();
                if (isInterrupted)
                {
                    Thread.CurrentThread.Interrupt();
                }

                return scope;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
        }
    }
}
