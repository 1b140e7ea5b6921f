using System.Runtime.CompilerServices;
using Sluice.Engines;
using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// One operation of a stream at a time, in the order of the calls, until the stream is closed. Taking and leaving a free gate costs two
/// interlocked instructions and allocates nothing. Thread-safe; a field of its stream, never copied. Who waits for a stream is kept beside
/// it, not in it: most streams are never waited for.
/// </summary>
internal struct OperationGate
{
    private const int Free = 0;
    private const int Taken = 1;

    /// <summary>Its holder reads: it leaves nothing behind that must be written, so the stream may be closed around it.</summary>
    private const int Reading = 2;
    private const int WaitedFor = 4;

    /// <summary>The stream was closed around the holder, who ends it when it leaves.</summary>
    private const int Abandoned = 8;
    private const int Closed = 16;

    /// <summary>Its holder closes the stream, and has yet to find what is to be written: nobody else closes it around that.</summary>
    private const int Sealing = 32;

    private static readonly ConditionalWeakTable<SluiceStream, Queue<GateTurn>> Waiters = [];

    private int _state;

    public readonly bool IsTaken => Volatile.Read(in _state) != Free;

    public bool TryEnter() => Interlocked.CompareExchange(ref _state, Taken, Free) == Free;

    /// <summary>As <see cref="TryEnter"/>, by an operation that only reads.</summary>
    public bool TryEnterToRead() => Interlocked.CompareExchange(ref _state, Taken | Reading, Free) == Free;

    /// <summary>As <see cref="TryEnter"/>, by an operation that closes the stream.</summary>
    public bool TryEnterToClose() => Interlocked.CompareExchange(ref _state, Taken | Sealing, Free) == Free;

    /// <summary>Nothing more is accepted, and what was is handed down from here on.</summary>
    public void EndSealing() => Interlocked.And(ref _state, ~Sealing);

    /// <summary>The holder has something to write first.</summary>
    public void StopReading() => Interlocked.And(ref _state, ~Reading);

    /// <summary>From here on the holder only reads.</summary>
    public void StartReading()
    {
        if ((Volatile.Read(ref _state) & Reading) == 0)
        {
            Interlocked.Or(ref _state, Reading);
        }
    }

    /// <summary>Waits for its turn at the <paramref name="stream"/> that this is a field of.</summary>
    /// <exception cref="OperationCanceledException">Cancelled while waiting; the gate was not entered.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed, or was closed meanwhile.</exception>
    public ValueTask EnterAsync(SluiceStream stream, CancellationToken cancellationToken)
    {
        GateTurn? turn = TakePlace(stream, isAwaited: true);
        return turn is null ? default : WaitAsync(stream, turn, cancellationToken);
    }

    /// <summary>As <see cref="EnterAsync"/>, blocking.</summary>
    public void Enter(SluiceStream stream)
    {
        if (TryEnter() || TakePlace(stream, isAwaited: false) is not { } turn)
        {
            return;
        }

        PoolWork.Wait(turn.Task);
        turn.ThrowUnlessCalled(CancellationToken.None);
    }

    /// <summary>Leaves the gate to whoever has waited longest.</summary>
    /// <returns>False where the stream was closed meanwhile: the caller still has the gate, and ends the stream.</returns>
    public bool Exit(SluiceStream stream)
    {
        int state = Volatile.Read(ref _state);
        if ((state & ~Reading) == Taken && Interlocked.CompareExchange(ref _state, Free, state) == state)
        {
            return true;
        }

        // Somebody waits, so there is a queue.
        Queue<GateTurn> waiters = EnterQueue(stream);
        try
        {
            if ((_state & Abandoned) != 0)
            {
                return false;
            }

            while (waiters.TryDequeue(out GateTurn? next))
            {
                Volatile.Write(ref _state, Taken | (waiters.Count == 0 ? 0 : WaitedFor) | (next.Closes ? Sealing : 0));

                // One that was cancelled meanwhile has gone its way.
                if (next.TryCall())
                {
                    return true;
                }
            }

            Volatile.Write(ref _state, Free);
            return true;
        }
        finally
        {
            Monitor.Exit(waiters);
        }
    }

    /// <summary>The holder closes the gate for good; who waits hears that the stream is closed.</summary>
    public void Close(SluiceStream stream)
    {
        int state = Volatile.Read(ref _state);
        if ((state & ~Sealing) != Taken || Interlocked.CompareExchange(ref _state, Closed, state) != state)
        {
            Queue<GateTurn> waiters = EnterQueue(stream);
            Volatile.Write(ref _state, Closed);
            TurnAway(waiters);
            Monitor.Exit(waiters);
        }
    }

    /// <summary>
    /// Closes the gate around a holder that reads, or around any one: it ends the stream when it leaves. False where there is no such
    /// holder.
    /// </summary>
    public bool TryAbandon(SluiceStream stream, bool whoeverHolds)
    {
        Queue<GateTurn> waiters = EnterQueue(stream);
        try
        {
            while (true)
            {
                int state = Volatile.Read(ref _state);
                bool isHeld = (state & (Taken | Abandoned | Closed | Sealing)) == Taken && (whoeverHolds || (state & Reading) != 0);
                if (!isHeld)
                {
                    return false;
                }

                if (Interlocked.CompareExchange(ref _state, state | Abandoned, state) == state)
                {
                    TurnAway(waiters);
                    return true;
                }
            }
        }
        finally
        {
            Monitor.Exit(waiters);
        }
    }

    /// <summary>A place in the queue; null where the gate was free and is entered.</summary>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public GateTurn? TakePlace(SluiceStream stream, bool isAwaited, bool toClose = false)
    {
        Queue<GateTurn> waiters = EnterQueue(stream);
        try
        {
            for (int state; ((state = Volatile.Read(ref _state)) & (Abandoned | Closed)) == 0;)
            {
                if (state == Free)
                {
                    if (toClose ? TryEnterToClose() : TryEnter())
                    {
                        return null;
                    }
                }
                else if (Interlocked.CompareExchange(ref _state, state | WaitedFor, state) == state)
                {
                    GateTurn turn = new(isAwaited, toClose);
                    waiters.Enqueue(turn);
                    return turn;
                }
            }
        }
        finally
        {
            Monitor.Exit(waiters);
        }

        // Without the lock: a handler of exceptions hears of it at once, and may wait for another thread that wants the lock.
        throw StreamErrors.Closed();
    }

    private static void TurnAway(Queue<GateTurn> waiters)
    {
        while (waiters.TryDequeue(out GateTurn? next))
        {
            next.TurnAway();
        }
    }

    /// <summary>
    /// The queue, locked. A thread that is interrupted here hears of it when it waits the next time; memory that is not there is waited
    /// for.
    /// </summary>
    private static Queue<GateTurn> EnterQueue(SluiceStream stream)
    {
        using Untold untold = new();
        Queue<GateTurn>? waiters = null;
        bool isInterrupted = false;
        while (waiters is null)
        {
            try
            {
                Seam.Wait();
                Queue<GateTurn> found = Waiters.GetOrCreateValue(stream);
                Uninterrupted.Enter(found, ref isInterrupted);
                waiters = found;
            }
            catch (ThreadInterruptedException)
            {
                isInterrupted = true;
            }
            catch (OutOfMemoryException)
            {
                Uninterrupted.Sleep(1, ref isInterrupted);
            }
        }

        Uninterrupted.Restore(isInterrupted);
        return waiters;
    }

    [AsyncMethodBuilder(typeof(InnerTaskBuilder))]
    private static async ValueTask WaitAsync(SluiceStream stream, GateTurn turn, CancellationToken cancellationToken)
    {
        CancellationTokenRegistration registration = Register(stream, turn, cancellationToken);
        await turn.Task.ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);

        // Not disposed: that would wait, for a thread of the pool, until a callback that has come too late has ended.
        Uninterrupted.UntilDone(registration, static r => r.Unregister());
        turn.ThrowUnlessCalled(cancellationToken);
    }

    private static CancellationTokenRegistration Register(SluiceStream stream, GateTurn turn, CancellationToken cancellationToken)
    {
        try
        {
            return Uninterrupted.UntilDone(
                (Turn: turn, Token: cancellationToken),
                static x => x.Token.UnsafeRegister(static turn => ((GateTurn)turn!).TryCancel(), x.Turn));
        }
        catch
        {
            // No memory: nobody waits here.
            if (!turn.TryCancel() && turn.IsCalled)
            {
                stream.ExitGate();
            }

            throw;
        }
    }
}
