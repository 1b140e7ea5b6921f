using Sluice.Engines;
using Sluice.Errors;

namespace Sluice;

/// <summary>Represents an engine for tests that can change the outcome of an operation before another engine performs it.</summary>
/// <remarks>
/// <para>
/// Derive from this class to test error handling or to count transfers. An example is FaultyEngine in the package Sluice.Testing. To use
/// the engine, set <see cref="SluiceOptions.Engine"/> or call <see cref="IoEngine.UseForCurrentContext"/>. All reads, writes, appends and
/// flushes of the handle then pass through the engine, including synchronous ones.
/// </para>
/// <para>
/// Each operation that is passed to an engine is called a submission. An operation can need several submissions, because the rest of a
/// partial transfer is submitted again.
/// </para>
/// <para>Derived classes must be thread-safe: several threads can call <see cref="OnSubmit"/> at the same time.</para>
/// </remarks>
public abstract class InterceptingEngine : IoEngine
{
    private readonly IoEngine? _inner;

    /// <summary>Initializes the engine.</summary>
    /// <param name="inner">
    /// The engine that performs the submissions. The default is <see langword="null"/>, which selects <see cref="SluiceEngines.Default"/>.
    /// </param>
    /// <exception cref="ArgumentException"><paramref name="inner"/> is itself an <see cref="InterceptingEngine"/>.</exception>
    protected InterceptingEngine(IoEngine? inner = null)
    {
        if (inner is InterceptingEngine)
        {
            throw new ArgumentException("Intercepting engines do not nest: decide everything in one.", nameof(inner));
        }

        _inner = inner;
    }

    /// <summary>Gets the engine that performs the submissions.</summary>
    /// <remarks>If no engine was passed to the constructor, reading this property initializes the default engine of the process.</remarks>
    public IoEngine Inner => _inner ?? SluiceEngines.Default;

    internal override bool BlocksThreads => Next.BlocksThreads;

    /// <summary>Gets <see cref="Inner"/> without initializing io_uring.</summary>
    private IoEngine Next => _inner ?? SluiceEngines.Ring;

    /// <summary>Decides what happens to a submission.</summary>
    /// <param name="submission">The submission, which is a transfer, the rest of a partial transfer, or a flush.</param>
    /// <returns>The decision.</returns>
    /// <remarks>
    /// This method can be called on any thread, and by several threads at the same time. An exception that it throws is reported to the
    /// caller of the transfer.
    /// </remarks>
    protected abstract Interception OnSubmit(in IoSubmission submission);

    internal sealed override void Submit(IoOperation operation)
    {
        Interception decision;
        try
        {
            bool isWrite = operation.Verb is IoVerb.Write or IoVerb.WriteVector or IoVerb.Append;
            decision = OnSubmit(new IoSubmission(operation.IsRead, isWrite, operation.FileOffset, operation.Length));
        }
        catch (Exception e)
        {
            operation.CompleteWith(e);
            return;
        }

        if (decision.Errno != 0)
        {
            Fail(operation, decision.Errno);
            return;
        }

        if (decision.Length > 0)
        {
            operation.Shorten(decision.Length);
        }

        operation.Hold = decision.Hold;
        Next.Submit(operation);
    }

    /// <summary>Completes a submission when the task of <paramref name="hold"/> has ended, with or without an exception.</summary>
    internal static void CompleteAfter(Func<Task> hold, IoOperation operation, int result)
    {
        if (operation.IsSynchronous)
        {
            Wait(hold);
            operation.Complete(result);
        }
        else
        {
            PoolWork.Queue(
                static state => _ = CompleteAfterAsync(state.Hold, state.Operation, state.Result),
                (Hold: hold, Operation: operation, Result: result));
        }
    }

    private static void Wait(Func<Task> hold)
    {
        SynchronizationContext? context = SynchronizationContext.Current;
        try
        {
            // The function must not use the synchronization context of this thread, which runs nothing while the thread waits.
            SynchronizationContext.SetSynchronizationContext(null);
            PoolWork.Wait(hold());
        }
        catch (ThreadInterruptedException)
        {
            Thread.CurrentThread.Interrupt();
        }
        catch (Exception)
        {
            // The function threw an exception. The submission has ended nevertheless.
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private static async Task CompleteAfterAsync(Func<Task> hold, IoOperation operation, int result)
    {
        try
        {
            await hold().ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        }
        catch (Exception)
        {
            // The function threw an exception. The submission has ended nevertheless.
        }

        // The caller's continuation must not run in the code that ends the task.
        PoolWork.Queue(static state => state.Operation.Complete(state.Result), (Operation: operation, Result: result));
    }

    private static void Fail(IoOperation operation, int errno)
    {
        operation.LeaveGate();
        operation.IsFault = true;
        if (operation.IsSynchronous)
        {
            operation.Complete(-errno);
        }
        else
        {
            // The caller's continuation must not run inside the call that submits.
            PoolWork.Queue(static state => state.Operation.Complete(-state.Errno), (Operation: operation, Errno: errno));
        }
    }
}
