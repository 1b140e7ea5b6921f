using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// Runs each operation as a blocking call on a thread of the pool: everywhere, and for the operations that a ring cannot carry. On
/// Windows, handles opened for asynchronous use go through completion ports instead.
/// </summary>
internal sealed class ThreadPoolEngine : IoEngine
{
    /// <summary>This thread's alone: who completes an operation has no way to tell it to the code that runs far below.</summary>
    [ThreadStatic]
    private static bool t_mayContinue;

    public static ThreadPoolEngine Instance { get; } = new();

    /// <summary>
    /// Whether this thread, of the pool, is completing an operation and may go on with the caller's continuation. Says so once: code that
    /// the continuation runs must not have further ones run inside it.
    /// </summary>
    public static bool TryTakeThread()
    {
        bool taken = t_mayContinue;
        t_mayContinue = false;
        return taken;
    }

    /// <param name="taken">What <see cref="TryTakeThread"/> said to who now has done something else than go on.</param>
    public static void GiveThreadBack(bool taken) => t_mayContinue = taken;

    /// <summary>Ends one submission on this thread of the pool, which then goes on with the caller's continuation.</summary>
    public static void Complete(IoOperation operation, int result)
    {
        t_mayContinue = true;
        try
        {
            operation.Complete(result);
        }
        finally
        {
            t_mayContinue = false;
        }
    }

    public override string Name => "pool";

    internal override bool BlocksThreads => true;

    internal override void Submit(IoOperation operation)
    {
        if (OperatingSystem.IsWindows() && operation.Handle.SafeFileHandle.IsAsync)
        {
            operation.NoteTaken();
            if (OverlappedTransfer.TryStart(operation))
            {
                return;
            }
        }

        if (!operation.TryHandToCaller())
        {
            operation.QueueTransfer();
        }
    }

    /// <summary>Carries one operation out on this thread, with the rest of partial transfers where that need not go through an
    /// engine.</summary>
    /// <param name="operation">Afterwards it may be another one's.</param>
    /// <param name="isPooled">It is counted among those that wait for a thread of the pool or have one, until its transfer has
    /// ended.</param>
    /// <param name="mayContinue">Whether this thread may go on with the code of the operation's caller.</param>
    public static void Run(IoOperation operation, bool isPooled, bool mayContinue = true)
    {
        // A thread that waits for its own operation does not go on with other callers' code.
        t_mayContinue = mayContinue && !operation.IsAwaitedByThread;
        try
        {
            while (RunOnce(operation, isPooled))
            {
                NotePooled(isPooled, 1);
            }
        }
        finally
        {
            t_mayContinue = false;
        }
    }

    /// <summary>One submission; true when the next one is this thread's too. Otherwise the operation may be another one's
    /// already.</summary>
    private static bool RunOnce(IoOperation operation, bool isPooled)
    {
        GatePass pass = operation.EnterGate();
        if (pass == GatePass.Waiting)
        {
            NotePooled(isPooled, -1);
            return false;
        }

        int result;
        operation.NoteTaken();
        try
        {
            result = pass == GatePass.Cancelled || operation.IsCancellationRequested ? -Errno.ECANCELED
                : Libc.IsSupported ? LinuxTransfer.Run(operation)
                : PortableTransfer.Run(operation);
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException or NotSupportedException or ArgumentException
            or ObjectDisposedException or OutOfMemoryException)
        {
            NotePooled(isPooled, -1);
            operation.CompleteWith(e);
            return false;
        }

        // What follows is the caller's work.
        operation.NoteReturned();
        NotePooled(isPooled, -1);
        UringEngine? meter = operation.Meter;
        operation.Meter = null;
        if (!(meter is null ? operation.GoesOnAfter(result) : meter.GoesOnAfterCall(operation, result)))
        {
            return false;
        }

        if (operation.StaysOnThread)
        {
            return true;
        }

        operation.Submit();
        return false;
    }

    private static void NotePooled(bool isPooled, int change)
    {
        if (isPooled)
        {
            IoMetrics.NotePooled(change);
        }
    }
}
