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

    internal override bool BlocksThreads => Carrier.BlocksThreads;

    /// <summary>The same, but its rings may not have been made yet.</summary>
    private IoEngine Carrier => _inner ?? SluiceEngines.Ring;

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
            FailSoon(operation, decision.Errno);
            return;
        }

        if (decision.Length > 0)
        {
            operation.Shorten(decision.Length);
        }

        operation.Hold = decision.Hold;
        Carrier.Submit(operation);
    }

    /// <summary>Passes a completion on when what it waits for has ended, well or not.</summary>
    internal static void PassOn(IoOperation operation, int result, Func<Task> hold)
    {
        if (!operation.TryHandEndToCaller(result, hold))
        {
            PassOnLater(operation, result, hold);
        }
    }

    /// <summary>What a synchronous caller does itself: waits until a completion may go on.</summary>
    internal static void WaitFor(Func<Task>? hold)
    {
        SynchronizationContext? context = SynchronizationContext.Current;
        try
        {
            // As on a thread of the pool: this one is blocked while the hold lasts, and serves nobody's context.
            SynchronizationContext.SetSynchronizationContext(null);
            if (hold?.Invoke() is { } held)
            {
                _ = PoolWork.Wait(held);
            }
        }
        catch (ThreadInterruptedException)
        {
            // The caller's, for its next wait.
            Thread.CurrentThread.Interrupt();
        }
        catch (Exception)
        {
            // As in PassOnAsync.
        }
        finally
        {
            SynchronizationContext.SetSynchronizationContext(context);
        }
    }

    private static void PassOnLater(IoOperation operation, int result, Func<Task> hold) =>
        PoolWork.Queue(
            static state => _ = PassOnAsync(state.Operation, state.Result, state.Hold),
            (Operation: operation, Result: result, Hold: hold));

    private static async Task PassOnAsync(IoOperation operation, int result, Func<Task> hold)
    {
        try
        {
            Task held = hold();
            if (!held.IsCompleted)
            {
                await held.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

                // Whoever has ended it is kept no longer, and does not run what the transfer's caller does next.
                PoolWork.Queue(static state => state.Operation.Complete(state.Result), (Operation: operation, Result: result));
                return;
            }
        }
        catch (Exception)
        {
            // It was asked to wait, and said that it cannot: the completion is not its to lose.
        }

        operation.Complete(result);
    }

    private static void FailSoon(IoOperation operation, int errno)
    {
        operation.LeaveGate();
        operation.IsFault = true;
        if (operation.TryHandEndToCaller(-errno))
        {
            return;
        }

        PoolWork.Queue(static state => state.Operation.Complete(-state.Errno), (Operation: operation, Errno: errno));
    }
}
