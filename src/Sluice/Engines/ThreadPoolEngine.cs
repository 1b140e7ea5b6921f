using Sluice.Interop;
using Sluice.Uring;

namespace Sluice;

/// <summary>
/// Runs each operation as a blocking call on a thread of the pool: everywhere, and for the operations that a ring cannot carry. On
/// Windows, handles opened for asynchronous use go through completion ports instead.
/// </summary>
internal sealed class ThreadPoolEngine : IoEngine
{
    [ThreadStatic]
    private static bool t_isRunningTransfer;

    public static ThreadPoolEngine Instance { get; } = new();

    /// <summary>
    /// Whether this thread is completing a transfer of its own and may go on with the caller's continuation. Says so once: code that the
    /// continuation runs must not have further ones run inside it.
    /// </summary>
    public static bool TryTakeThread()
    {
        bool taken = t_isRunningTransfer;
        t_isRunningTransfer = false;
        return taken;
    }

    public override string Name => "pool";

    internal override bool BlocksThreads => true;

    internal override void Submit(IoOperation operation)
    {
        if (OperatingSystem.IsWindows() && operation.Handle.SafeFileHandle.IsAsync && OverlappedTransfer.TryStart(operation))
        {
            return;
        }

        operation.QueueTransfer();
    }

    /// <summary>Carries one queued operation out, on the pool's thread.</summary>
    public static void Run(IoOperation operation)
    {
        t_isRunningTransfer = true;
        try
        {
            if (operation.IsCancellationRequested)
            {
                operation.Complete(-Errno.ECANCELED);
                return;
            }

            int result;
            try
            {
                result = Libc.IsSupported ? LinuxTransfer.Run(operation) : PortableTransfer.Run(operation);
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException
                or ObjectDisposedException or OutOfMemoryException)
            {
                operation.CompleteWith(e);
                return;
            }

            operation.Complete(result);
        }
        finally
        {
            t_isRunningTransfer = false;
        }
    }
}
