using System.Runtime.ExceptionServices;
using Sluice.Errors;

namespace Sluice.Engines;

/// <summary>
/// The operation of a synchronous call. The caller waits, and makes the system calls of the operation itself, so no pool thread is needed.
/// An interruption of the thread is kept for its next wait, because the memory of a transfer that has begun cannot be released.
/// </summary>
internal sealed partial class IoOperation
{
    /// <summary>True if the waiting caller is to run the transfer. Guarded by a lock on this object, as is the next field.</summary>
    private bool _callersTurn;

    private bool _hasEnded;

    /// <summary>True if a caller waits for the operation.</summary>
    public bool IsSynchronous { get; private set; }

    /// <summary>Reads until the buffer is full or the file ends.</summary>
    public static int Read(OpenFile handle, Span<byte> buffer, long fileOffset) => (int)Run(handle, IoVerb.Read, buffer, fileOffset);

    /// <summary>Writes all of the buffer.</summary>
    public static void Write(OpenFile handle, ReadOnlySpan<byte> buffer, long fileOffset) =>
        Run(handle, IoVerb.Write, buffer, fileOffset);

    /// <summary>Appends all of the buffer, and returns its offset in the file.</summary>
    public static long Append(OpenFile handle, ReadOnlySpan<byte> buffer) => Run(handle, IoVerb.Append, buffer, -1);

    /// <summary>Runs the operation on the calling thread and returns its result.</summary>
    public long RunToEnd()
    {
        IsSynchronous = true;
        if (_engine is UringEngine)
        {
            _engine = ThreadPoolEngine.Instance;
        }

        Start();
        while (WaitForTurn())
        {
            ThreadPoolEngine.Run(this, isPooled: false);
        }

        long result = _result;
        Exception? error = _error;
        Recycle();
        if (error is not null)
        {
            ExceptionDispatchInfo.Throw(error);
        }

        return result;
    }

    /// <summary>
    /// Signals the waiting caller to run the transfer. Returns false if the operation is asynchronous and needs another thread.
    /// </summary>
    public bool TryHandToCaller()
    {
        if (!IsSynchronous)
        {
            return false;
        }

        lock (this)
        {
            _callersTurn = true;
            Monitor.Pulse(this);
        }

        return true;
    }

    private static unsafe long Run(OpenFile handle, IoVerb verb, ReadOnlySpan<byte> buffer, long fileOffset)
    {
        fixed (byte* p = buffer)
        {
            return ForPinned(handle, verb, (nint)p, buffer.Length, fileOffset).RunToEnd();
        }
    }

    /// <summary>Waits for a transfer to run. Returns false when the operation has ended.</summary>
    private bool WaitForTurn()
    {
        bool isInterrupted = false;
        lock (this)
        {
            while (!_callersTurn && !_hasEnded)
            {
                try
                {
                    Monitor.Wait(this);
                }
                catch (ThreadInterruptedException)
                {
                    isInterrupted = true;
                }
            }

            _callersTurn = false;
            if (isInterrupted)
            {
                Thread.CurrentThread.Interrupt();
            }

            return !_hasEnded;
        }
    }

    private void EndForCaller()
    {
        lock (this)
        {
            _hasEnded = true;
            Monitor.Pulse(this);
        }
    }
}
