using System.Buffers;
using System.Runtime.InteropServices;
using System.Threading.Tasks.Sources;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Memory;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// One transfer, append or flush. A handle creates it and submits it to an engine, which calls <see cref="Complete"/>; the rest of a partial
/// transfer is submitted again. Pooled. The operation is also the source of its <see cref="ValueTask"/>.
/// </summary>
/// <remarks>
/// From <see cref="Start"/> to <see cref="Finish"/> the operation keeps the caller's memory pinned and the descriptor referenced. An engine
/// may access <see cref="Address"/> only between Submit and Complete. Cancellation is only a request: the memory stays pinned until the
/// completion.
/// </remarks>
internal sealed partial class IoOperation
    : GateVisitor, IThreadPoolWorkItem, IValueTaskSource, IValueTaskSource<int>, IValueTaskSource<long>
{
    /// <summary>
    /// The number of failures of a submission with EINTR, EAGAIN or a spurious ECANCELED after which the caller gets the error.
    /// </summary>
    private const int MaxRetries = Tuning.OperationMaxRetries;

    /// <summary>The number of spurious ECANCELED after which a transfer of a file becomes a blocking call.</summary>
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

    /// <summary>The kind of this submission. A vectored transfer with a bounce buffer is a plain one.</summary>
    public IoVerb Verb { get; private set; }

    /// <summary>The offset of this submission in the file; -1 if the file cannot seek.</summary>
    public long FileOffset { get; private set; }

    /// <summary>The length of this submission, in bytes.</summary>
    public int Length { get; private set; }

    /// <summary>The address of the memory or, for a vectored transfer, of the iovec array. Valid between Submit and Complete.</summary>
    public nint Address { get; private set; }

    /// <summary>The number of iovecs of a vectored transfer.</summary>
    public int SegmentCount { get; private set; }

    public RwFlags Flags { get; private set; }

    public int Descriptor { get; private set; }

    /// <summary>
    /// True if this submission needs a thread that may block: it takes several calls (a partial page of a direct file, an append), or is a
    /// cached write or a large cached read, which a ring would perform on the submitting thread or in a kernel worker.
    /// </summary>
    public bool NeedsBlocking { get; private set; }

    /// <summary>True if this submission goes through the page cache with O_DIRECT off.</summary>
    public bool PassesCache { get; private set; }

    public OpenFile Handle => _handle!;

    /// <summary>The user data of the submission in a ring; 0 if it is not in a ring.</summary>
    public ulong RingUserData { get; set; }

    /// <summary>True if the operation uses no ring from now on.</summary>
    public bool LeavesRing { get; private set; }

    /// <summary>The kernel's result, until <see cref="Complete"/> is called with it.</summary>
    public int RingResult { get; set; }

    /// <summary>The engine whose ring has this operation; otherwise, null.</summary>
    public UringEngine? Ring { get; set; }

    /// <summary>
    /// The engine that made this submission a blocking call because continuations are long, and that measures the continuation; otherwise,
    /// null.
    /// </summary>
    public UringEngine? MeasuredBy { get; set; }

    /// <summary>The next operation in a list of the engine.</summary>
    public IoOperation? Next { get; set; }

    /// <summary>The place in the backlog of a ring; null if the operation is not there.</summary>
    public LinkedListNode<IoOperation>? BacklogNode { get; set; }

    /// <summary>Set by an intercepting engine: the submission is completed when the task of this function has ended.</summary>
    public Func<Task>? Hold { get; set; }

    /// <summary>
    /// True if an intercepting engine returned the error of this submission. The caller gets the error, unless it is EINTR or EAGAIN.
    /// </summary>
    public bool IsFault { get; set; }

    /// <summary>True if cancellation is requested. An engine that has not begun the submission completes it with -ECANCELED.</summary>
    public override bool IsCancellationRequested =>
        _cancelRequested || _cancellationToken.IsCancellationRequested;

    /// <summary>
    /// True if this submission is a single transfer of a direct file. May be read while another thread ends the operation; the value is
    /// then not used.
    /// </summary>
    public bool IsDirectTransfer =>
        Verb is IoVerb.Read or IoVerb.Write && FileOffset >= 0 && _handle?.Caching == FileCaching.Direct
        && !IsCancellationRequested;

    /// <summary>True if this submission is a read or write at an offset, which any thread that may block can perform.</summary>
    public bool CanBeBlockingCall =>
        Verb is IoVerb.Read or IoVerb.Write or IoVerb.ReadVector or IoVerb.WriteVector && FileOffset >= 0;

    /// <summary>True if this submission may wait forever: a read or write of a pipe, socket or terminal.</summary>
    public bool WaitsForOthers =>
        FileOffset < 0 && Verb is IoVerb.Read or IoVerb.Write or IoVerb.ReadVector or IoVerb.WriteVector;

    /// <summary>True if the thread that performed this submission may also perform the next one.</summary>
    public bool StaysOnThread => _engine is ThreadPoolEngine || (NeedsBlocking && _engine is UringEngine);

    public bool IsRead => Verb is IoVerb.Read or IoVerb.ReadVector;

    public static IoOperation ForRead(OpenFile handle, Memory<byte> buffer, long fileOffset, int done, CancellationToken token) =>
        ForMemory(handle, IoVerb.Read, buffer, fileOffset, done, token);

    public static IoOperation ForWrite(OpenFile handle, ReadOnlyMemory<byte> buffer, long fileOffset, int done, CancellationToken token) =>
        ForMemory(handle, IoVerb.Write, MemoryMarshal.AsMemory(buffer), fileOffset, done, token);

    public static IoOperation ForAppend(OpenFile handle, ReadOnlyMemory<byte> buffer, CancellationToken token) =>
        ForMemory(handle, IoVerb.Append, MemoryMarshal.AsMemory(buffer), -1, 0, token);

    public static IoOperation ForFlush(OpenFile handle, IoVerb verb, CancellationToken token) => Rent(handle, verb, -1, token);

    /// <param name="segments">The segments. The operation returns the cursor to its pool.</param>
    /// <param name="done">The number of bytes that are transferred already.</param>
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

    /// <summary>Creates an operation with memory that the caller keeps pinned until the operation has ended.</summary>
    /// <param name="done">The number of bytes that are transferred already.</param>
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

    /// <summary>
    /// Pins the memory, takes a reference to the descriptor, and submits. Afterwards the operation may have ended, and may be in use for
    /// another call.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The handle is closed. The operation has been returned to the pool.</exception>
    public void Start()
    {
        OpenFile handle = _handle!;
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
                // Registered before the submission, because the completion disposes the registration.
                _registration = _cancellationToken.UnsafeRegister(static state => ((IoOperation)state!).RequestCancel(), this);
            }
        }
        catch
        {
            _ = Release();
            Recycle();
            throw;
        }

        Submit();
    }

    /// <summary>Starts the operation and returns its task.</summary>
    public ValueTask StartTask()
    {
        short version = Version;
        Start();
        return new ValueTask(this, version);
    }

    /// <inheritdoc cref="StartTask"/>
    public ValueTask<int> StartIntTask()
    {
        short version = Version;
        Start();
        return new ValueTask<int>(this, version);
    }

    /// <inheritdoc cref="StartTask"/>
    public ValueTask<long> StartLongTask()
    {
        short version = Version;
        Start();
        return new ValueTask<long>(this, version);
    }

    /// <summary>
    /// Shortens this submission to <paramref name="length"/> bytes, rounded up to the alignment. Has no effect on an append, or if the
    /// submission is not longer. Used by intercepting engines.
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
    /// Submits to the engine, after passing the gate if necessary. Afterwards the operation may be in use for another call.
    /// </summary>
    public void Submit()
    {
        if (_passesGate && !NeedsBlocking)
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
}
