using Sluice.Errors;

namespace Sluice.Engines;

/// <summary>
/// The operation of a synchronous call. Its caller waits, and carries out itself what needs a thread: no thread of the pool is needed,
/// and none is waited for. Thread.Interrupt is kept for the next wait, because the memory of a transfer on its way cannot be taken back.
/// </summary>
internal sealed partial class IoOperation
{
    /// <summary>What this thread waits with: it waits for one operation at a time, and a synchronous call allocates nothing.</summary>
    [ThreadStatic]
    private static object? t_waiter;

    /// <summary>What a synchronous caller waits on; null for an asynchronous operation.</summary>
    private object? _waiter;

    /// <summary>A transfer is to be carried out by the waiting caller; guarded by the waiter.</summary>
    private bool _callersTurn;

    /// <summary>What that caller is: who asked for the transfer, or a thread of the pool that makes it for somebody else.</summary>
    private Carrier _waitersCarrier;

    /// <summary>With the turn: what an intercepting engine makes of a submission's end; null for a transfer to carry out. Guarded by the
    /// waiter.</summary>
    private Ending? _callersEnding;

    /// <summary>A caller waits for it, and may as well carry it out: in the ring it would need a thread that takes its
    /// completion.</summary>
    public bool IsSynchronous => _waiter is not null;

    /// <summary>Reads until the buffer is full or the file ends.</summary>
    public static int Read(OpenFile handle, Span<byte> buffer, long fileOffset, Carrier carrier = Carrier.Inline) =>
        (int)Run(handle, IoVerb.Read, buffer, fileOffset, carrier);

    /// <summary>Writes all of the buffer.</summary>
    public static void Write(OpenFile handle, ReadOnlySpan<byte> buffer, long fileOffset, Carrier carrier = Carrier.Inline) =>
        Run(handle, IoVerb.Write, buffer, fileOffset, carrier);

    /// <summary>Returns where the bytes landed.</summary>
    public static long Append(OpenFile handle, ReadOnlySpan<byte> buffer) =>
        Run(handle, IoVerb.Append, buffer, -1, Carrier.Inline);

    /// <summary>Carries the operation out and returns its result.</summary>
    public long RunToEnd(Carrier carrier = Carrier.Inline)
    {
        object waiter = t_waiter ??= new object();
        _waiter = waiter;
        _waitersCarrier = carrier;
        if (_engine is UringEngine)
        {
            // Whoever waits anyway makes the call itself: no ring, and no other thread, is quicker.
            _engine = ThreadPoolEngine.Instance;
        }

        short version = _version;
        Start();
        while (AwaitTurn(waiter, out Ending? ending))
        {
            if (ending is { } end)
            {
                InterceptingEngine.WaitFor(end.Hold);
                Complete(end.Result);
            }
            else
            {
                ThreadPoolEngine.Run(this, isPooled: false);
            }
        }

        return GetResult(version);
    }

    /// <summary>Its caller waits for it.</summary>
    public bool IsAwaitedByThread => _waiter is not null;

    /// <summary>Hands a transfer to the caller if that waits for it; false where a thread must be found.</summary>
    public bool TryHandToCaller() => TryHandToCaller(null);

    /// <summary>Hands the end of a submission to the caller if that waits for it; false where a thread must be found.</summary>
    /// <param name="result">What it ends with.</param>
    /// <param name="hold">Asked then for what that waits for; null for nothing.</param>
    public bool TryHandEndToCaller(int result, Func<Task>? hold = null) => TryHandToCaller(new Ending(result, hold));

    private bool TryHandToCaller(Ending? ending)
    {
        if (_waiter is not { } waiter)
        {
            return false;
        }

        lock (waiter)
        {
            _callersTurn = true;
            _callersEnding = ending;
            Monitor.Pulse(waiter);
        }

        return true;
    }

    private static unsafe long Run(OpenFile handle, IoVerb verb, ReadOnlySpan<byte> buffer, long fileOffset, Carrier carrier)
    {
        fixed (byte* p = buffer)
        {
            return ForPinned(handle, verb, (nint)p, buffer.Length, fileOffset).RunToEnd(carrier);
        }
    }

    /// <summary>True when there is a transfer to carry out, false when the operation has ended.</summary>
    private bool AwaitTurn(object waiter, out Ending? ending)
    {
        bool isInterrupted = false;
        while (true)
        {
            lock (waiter)
            {
                if (!_callersTurn && !_completed)
                {
                    try
                    {
                        _ = Monitor.Wait(waiter);
                    }
                    catch (ThreadInterruptedException)
                    {
                        isInterrupted = true;
                    }
                }

                if (_callersTurn || _completed)
                {
                    ending = _callersEnding;
                    _callersTurn = false;
                    _callersEnding = null;
                    if (isInterrupted)
                    {
                        Thread.CurrentThread.Interrupt();
                    }

                    return !_completed;
                }
            }
        }
    }

    /// <summary>The last touch of the operation by whoever completes it: the caller takes the result once the lock is free.</summary>
    private void SignalWaiter(object waiter)
    {
        lock (waiter)
        {
            _continuation = CompletedSentinel;
            _completed = true;
            Monitor.Pulse(waiter);
        }
    }

    /// <summary>The end of a submission, and what it waits for; null for nothing.</summary>
    private readonly record struct Ending(int Result, Func<Task>? Hold);
}
