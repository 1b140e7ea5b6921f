using System.Buffers;
using System.Diagnostics;
using System.Runtime.InteropServices;
using System.Threading.Tasks.Sources;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// One transfer on its way: it is filled by a handle, travels down to an engine, and comes back through
/// <see cref="Complete"/>, as often as the rest of a partial transfer asks for. Pooled; it is its own task (see the other parts).
/// </summary>
/// <remarks>
/// Ownership: from <see cref="Start"/> to <see cref="Finish"/> the operation keeps the caller's memory pinned and the descriptor
/// referenced; an engine may touch <see cref="Address"/> only between its Submit and its Complete. Cancellation is a request: the
/// memory stays pinned until the engine has seen the completion.
/// </remarks>
internal sealed partial class IoOperation
    : GateVisitor, IThreadPoolWorkItem, IValueTaskSource, IValueTaskSource<int>, IValueTaskSource<long>
{
    /// <summary>How often one submission may fail with EINTR, EAGAIN or a stray ECANCELED before the caller hears of it.</summary>
    private const int MaxRetries = Tuning.OperationMaxRetries;

    /// <summary>Behind so many a transfer of a file that is cancelled unasked leaves the rings, for a blocking call.</summary>
    private const int MaxRetriesInRing = 4;

    private OpenFile? _handle;
    private IoEngine? _engine;
    private Memory<byte> _memory;
    private MemoryHandle _pin;
    private nint _base;
    private MemoryLease _bounce;
    private int _bounceSkip;
    private SegmentCursor? _segments;
    private long _startOffset;
    private long _total;
    private long _done;
    private int _retries;
    private bool _referenced;
    private bool _readsThroughCache;
    private bool _hasEdge;
    private CancellationToken _cancellationToken;
    private CancellationTokenRegistration _registration;
    private volatile bool _cancelRequested;

    /// <summary>What this submission does: a vectored transfer may go through one buffer of ours, and is a plain one then.</summary>
    public IoVerb Verb { get; private set; }

    /// <summary>Where this submission begins; -1 on a file that cannot seek.</summary>
    public long FileOffset { get; private set; }

    /// <summary>Bytes of this submission; an intercepting engine may lower it with <see cref="Shorten"/>.</summary>
    public int Length { get; private set; }

    /// <summary>Scalar: the first byte; vector: the iovec array. Valid between Submit and Complete.</summary>
    public nint Address { get; private set; }

    /// <summary>Vector: how many iovecs.</summary>
    public int SegmentCount { get; private set; }

    public RwFlags Flags { get; private set; }

    public int Descriptor { get; private set; }

    /// <summary>
    /// Belongs on a thread that may block, not in the ring: what takes several calls (the edge of a direct write, an append), and cached
    /// writes and large cached reads, which the ring would carry out on the submitting thread or hand to a kernel worker.
    /// </summary>
    public bool NeedsBlocking { get; private set; }

    /// <summary>On a direct handle: O_DIRECT is off while this submission is carried out.</summary>
    public bool PassesCache { get; private set; }

    public OpenFile Handle => _handle!;

    /// <summary>Set by the ring for its own use: the user data of the current submission; 0 when not in the ring.</summary>
    public ulong RingUserData { get; set; }

    /// <summary>Rings have cancelled it too often: the pool carries it from now on.</summary>
    public bool LeavesRing { get; private set; }

    /// <summary>What the kernel answered to the current submission, until <see cref="Complete"/> is called with it.</summary>
    public int RingResult { get; private set; }

    /// <summary>The ring that carries this operation, once one has been chosen.</summary>
    public UringEngine? Ring { get; set; }

    /// <summary>The ring for which this submission is a plain call; null where it is no such call.</summary>
    public UringEngine? Meter { get; set; }

    /// <summary>Engines' queues link operations through this.</summary>
    public IoOperation? Next { get; set; }

    /// <summary>As <see cref="Next"/>, in queues that are left from the middle.</summary>
    public IoOperation? Previous { get; set; }

    /// <summary>An intercepting engine holds this submission's completion back until the task that this makes has ended.</summary>
    public Func<Task>? Hold { get; set; }

    /// <summary>An intercepting engine made the error up: the caller is to see it, but for EINTR and EAGAIN.</summary>
    public bool IsFault { get; set; }

    /// <summary>The caller no longer wants the result; an engine that has not begun completes with -ECANCELED.</summary>
    public override bool IsCancellationRequested =>
        _cancelRequested || _cancellationToken.IsCancellationRequested;

    /// <summary>
    /// One blocking call of a file or a block device does all of this submission, and ends by itself. May be asked while another thread
    /// ends the operation: then any answer will do, since it is in no ring's queue any more.
    /// </summary>
    public bool IsPlainTransfer =>
        Verb is IoVerb.Read or IoVerb.Write && FileOffset >= 0 && _handle?.Caching == FileCaching.Direct
        && !IsCancellationRequested;

    /// <summary>
    /// A read or write at an offset, vectored or cached ones too: any thread that may block can make it by a call.
    /// </summary>
    public bool IsPlainCall =>
        Verb is IoVerb.Read or IoVerb.Write or IoVerb.ReadVector or IoVerb.WriteVector && FileOffset >= 0;

    /// <summary>It ends when somebody at the other end does something, perhaps never: a read or write of what cannot seek.</summary>
    public bool WaitsForOthers =>
        FileOffset < 0 && Verb is IoVerb.Read or IoVerb.Write or IoVerb.ReadVector or IoVerb.WriteVector;

    /// <summary>Whoever carries out one submission on a thread may carry out the next one there.</summary>
    public bool StaysOnThread => _engine is ThreadPoolEngine || (NeedsBlocking && _engine is UringEngine);

    public bool IsRead => Verb is IoVerb.Read or IoVerb.ReadVector;

    public static IoOperation ForRead(OpenFile handle, Memory<byte> buffer, long fileOffset, int done, CancellationToken token) =>
        ForMemory(handle, IoVerb.Read, buffer, fileOffset, done, token);

    public static IoOperation ForWrite(OpenFile handle, ReadOnlyMemory<byte> buffer, long fileOffset, int done, CancellationToken token) =>
        ForMemory(handle, IoVerb.Write, MemoryMarshal.AsMemory(buffer), fileOffset, done, token);

    public static IoOperation ForAppend(OpenFile handle, ReadOnlyMemory<byte> buffer, CancellationToken token) =>
        ForMemory(handle, IoVerb.Append, MemoryMarshal.AsMemory(buffer), -1, 0, token);

    public static IoOperation ForFlush(OpenFile handle, IoVerb verb, CancellationToken token) => Rent(handle, verb, -1, token);

    /// <param name="segments">The operation's from here on.</param>
    /// <param name="done">Bytes that were transferred before.</param>
    public static IoOperation ForVector(OpenFile handle, IoVerb verb, SegmentCursor segments, long fileOffset, long done,
        CancellationToken token)
    {
        IoOperation operation = Rent(handle, verb, fileOffset, token);
        operation._segments = segments;
        operation._total = segments.Total;
        operation._done = done;
        segments.Advance(done);
        return operation;
    }

    /// <summary>Memory at an address that the caller keeps pinned until the operation has ended.</summary>
    /// <param name="done">Bytes that were transferred before.</param>
    public static IoOperation ForPinned(OpenFile handle, IoVerb verb, nint address, long length, long fileOffset, long done = 0,
        CancellationToken token = default)
    {
        IoOperation operation = Rent(handle, verb, fileOffset, token);
        operation._base = address;
        operation._total = length;
        operation._done = done;
        return operation;
    }

    private static IoOperation ForMemory(OpenFile handle, IoVerb verb, Memory<byte> buffer, long fileOffset, int done,
        CancellationToken token)
    {
        IoOperation operation = Rent(handle, verb, fileOffset, token);
        operation._memory = buffer;
        operation._total = buffer.Length;
        operation._done = done;
        return operation;
    }

    private static IoOperation Rent(OpenFile handle, IoVerb verb, long fileOffset, CancellationToken token)
    {
        IoOperation operation = OperationPool.Rent();
        operation._handle = handle;
        operation._engine = handle.EngineInUse;
        operation.Verb = verb;
        operation._startOffset = fileOffset;
        operation._cancellationToken = token;
        return operation;
    }

    /// <summary>Pins, references, and submits. Afterwards the operation may already be complete, and even back in the pool's
    /// hands.</summary>
    /// <param name="isPooled">
    /// This thread is the pool's, and has nothing else to do: what needs a thread is carried out here, unless it has to wait for its turn
    /// at the file's gate.
    /// </param>
    /// <exception cref="ObjectDisposedException">The handle is closed; the operation has gone back to the pool.</exception>
    public void Start(bool isPooled = false)
    {
        OpenFile handle = _handle!;
        _since = IoMetrics.IsTimed ? Stopwatch.GetTimestamp() : 0;
        try
        {
            handle.AddReference();
            _referenced = true;
            Descriptor = handle.Descriptor;
            Flags = handle.TransferFlags;
            if (_base == 0 && Verb is IoVerb.Read or IoVerb.Write or IoVerb.Append)
            {
                _pin = _memory.Pin();
                _base = PinnedMemory.AddressOf(_pin);
            }

            Prepare();
            if (_cancellationToken.CanBeCanceled)
            {
                // Registered before the submission, so that a completion always finds the registration it has to end.
                _registration = _cancellationToken.UnsafeRegister(static state => ((IoOperation)state!).RequestCancel(), this);
            }
        }
        catch
        {
            _ = Release();
            Abandon();
            throw;
        }

        if (isPooled && StaysOnThread)
        {
            // Another caller's code might wait for what this thread has yet to end.
            ThreadPoolEngine.Run(this, isPooled: false, mayContinue: false);
        }
        else
        {
            Submit();
        }
    }

    /// <summary>
    /// An intercepting engine's cut: this submission transfers at most <paramref name="length"/> bytes (rounded up to the alignment).
    /// </summary>
    public void Shorten(int length)
    {
        if (length <= 0 || length >= Length || Verb == IoVerb.Append)
        {
            return;
        }

        int unit = _handle!.Alignment.Length;
        length = (length + unit - 1) / unit * unit;
        if (length >= Length)
        {
            return;
        }

        Length = length;
        if (_segments is { } segments && (Verb is IoVerb.ReadVector or IoVerb.WriteVector))
        {
            SegmentCount = segments.Shorten(length);
        }
    }

    /// <summary>
    /// The engine's answer to one submission: bytes transferred, or a negative errno. Sees to the rest of a partial transfer, else
    /// ends the operation.
    /// </summary>
    public void Complete(int result)
    {
        if (GoesOnAfter(result))
        {
            Submit();
        }
    }

    /// <summary>As <see cref="Complete"/>; true when the next submission is laid out, and it is for the caller to submit it.</summary>
    public bool GoesOnAfter(int result)
    {
        // The transfer has ended; what follows may wait for threads.
        LeaveGate();
        if (Hold is { } hold)
        {
            Hold = null;
            InterceptingEngine.PassOn(this, result, hold);
            return false;
        }

        if (result < 0 && !IsFault && Verb is IoVerb.Flush or IoVerb.FlushData && _handle!.HasNothingToFlush(-result))
        {
            result = 0;
        }

        try
        {
            if (IsRead && !IsFault && _handle!.IsInvalidBehindEnd(result, _startOffset + _done, _total - _done))
            {
                result = 0;
            }

            if (result < 0 ? Recover(-result) : Advance(result))
            {
                if (!IsCancellationRequested)
                {
                    Prepare();
                    return true;
                }

                result = -Errno.ECANCELED;
            }
        }
        catch (Exception e)
        {
            // The system did not tell where the file ends, or a caller's memory refused a pin: the caller's to hear, not this thread's.
            Finish(0, e);
            return false;
        }

        if (result < 0)
        {
            Fail(-result);
        }
        else
        {
            Finish(_result, null);
        }

        return false;
    }

    /// <summary>The engine's answer where System.IO reported an exception instead of a number.</summary>
    public void CompleteWith(Exception error)
    {
        Hold = null;
        bool isCancelled = error is OperationCanceledException && _cancellationToken.IsCancellationRequested;
        Finish(0, NotePart(isCancelled ? Cancelled() : IoErrors.Wrap(error, Verb, _handle!.Path, FileOffset)));
    }

    /// <summary>Through the gate, if this submission passes it, and to the engine. Afterwards the operation may already be another
    /// one's.</summary>
    public void Submit()
    {
        if (_passesGate && BeginsWhenCalled)
        {
            switch (_handle!.DirectGate!.Enter(this))
            {
                case GatePass.Waiting:
                    return;
                case GatePass.Cancelled:
                    Complete(-Errno.ECANCELED);
                    return;
            }
        }

        _engine!.Submit(this);
    }

    private void Fail(int errno) =>
        Finish(0, NotePart(errno == Errno.ECANCELED && IsCancellationRequested
            ? Cancelled()
            : _handle!.ErrorOf(errno, Verb, FileOffset < 0 ? -1 : _startOffset + _done)));

    private OperationCanceledException Cancelled() => new(_cancellationToken);
}
