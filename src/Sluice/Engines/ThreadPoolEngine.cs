using Sluice.Kernel;
using Sluice.Uring;

namespace Sluice.Engines;

/// <summary>
/// Makes each operation a blocking call on a pool thread: the engine where io_uring is not used, and for operations that a ring does not
/// perform. On Windows, handles that were opened for asynchronous use have overlapped transfers instead.
/// </summary>
internal sealed class ThreadPoolEngine : IoEngine
{
    [ThreadStatic]
    private static bool t_mayRunContinuation;

    public static ThreadPoolEngine Instance { get; } = new();

    public override string Name => "pool";

    internal override bool BlocksThreads => true;

    /// <summary>
    /// Returns true if this thread, which completes an operation on the pool, may run the caller's continuation. Returns true once, so that
    /// continuations do not run inside each other.
    /// </summary>
    public static bool TryTakeContinuation()
    {
        bool taken = t_mayRunContinuation;
        t_mayRunContinuation = false;
        return taken;
    }

    /// <summary>Completes a submission on this pool thread, and runs the caller's continuation.</summary>
    public static void Complete(IoOperation operation, int result)
    {
        t_mayRunContinuation = true;
        try
        {
            operation.Complete(result);
        }
        finally
        {
            t_mayRunContinuation = false;
        }
    }

    internal override void Submit(IoOperation operation)
    {
        if (operation.TryHandToCaller())
        {
            return;
        }

        bool isOverlapped = OperatingSystem.IsWindows() && operation.Handle.SafeFileHandle.IsAsync;
        if (!isOverlapped || !OverlappedTransfer.TryStart(operation))
        {
            operation.QueueTransfer();
        }
    }

    /// <summary>
    /// Performs the operation on this thread. After a partial transfer, the rest is transferred here if the operation stays on the thread,
    /// and submitted again otherwise. Afterwards the operation may be in use for another call.
    /// </summary>
    /// <param name="operation">The operation.</param>
    /// <param name="isPooled">The operation is included in <see cref="IoMetrics.Pooled"/> until its transfer has ended.</param>
    /// <param name="mayRunContinuation">This thread may run the caller's continuation.</param>
    public static void Run(IoOperation operation, bool isPooled, bool mayRunContinuation = true)
    {
        t_mayRunContinuation = mayRunContinuation && !operation.IsSynchronous;
        try
        {
            while (RunOnce(operation, isPooled))
            {
                NotePooled(isPooled, 1);
            }
        }
        finally
        {
            t_mayRunContinuation = false;
        }
    }

    /// <summary>Performs one submission. Returns true if this thread is to perform the next one.</summary>
    private static bool RunOnce(IoOperation operation, bool isPooled)
    {
        GatePass pass = operation.EnterGate();
        if (pass == GatePass.Waiting)
        {
            NotePooled(isPooled, -1);
            return false;
        }

        int result;
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

        NotePooled(isPooled, -1);
        UringEngine? measuredBy = operation.MeasuredBy;
        operation.MeasuredBy = null;
        if (!(measuredBy is null ? operation.GoesOnAfter(result) : measuredBy.GoesOnAfterCall(operation, result)))
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
