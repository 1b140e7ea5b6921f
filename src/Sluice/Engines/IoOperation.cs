using System.Buffers;
using System.Threading.Tasks.Sources;
using Sluice.Buffers;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// One transfer on its way: it is filled by <see cref="SluiceHandle"/>, travels down to an engine, and comes back through
/// <see cref="Complete"/>, as often as the rest of a partial transfer asks for. Pooled; it is its own task (see the other parts).
/// </summary>
/// <remarks>
/// Ownership: from <see cref="Start"/> to <see cref="Finish"/> the operation keeps the caller's memory pinned and the descriptor
/// referenced; an engine may touch <see cref="Address"/> only between its Submit and its Complete. Cancellation is a request: the
/// memory stays pinned until the engine has seen the completion.
/// </remarks>
internal sealed partial class IoOperation : IThreadPoolWorkItem, IValueTaskSource, IValueTaskSource<int>, IValueTaskSource<long>
{
    /// <summary>How often one submission may fail with EINTR, EAGAIN or a stray ECANCELED before the caller hears of it.</summary>
    private const int MostRetries = 64;

    private SluiceHandle? _handle;
    private IoEngine? _engine;
    private Memory<byte> _memory;
    private MemoryHandle _pin;
    private nint _base;
    private AlignedBuffer? _bounce;
    private int _bounceSkip;
    private DirectWriteGate? _gate;
    private SegmentCursor? _segments;
    private IReadOnlyList<Memory<byte>>? _readSegments;
    private IReadOnlyList<ReadOnlyMemory<byte>>? _writeSegments;
    private long _startOffset;
    private long _total;
    private long _done;
    private int _retries;
    private bool _referenced;
    private bool _readsBlocking;
    private CancellationToken _cancellationToken;
    private CancellationTokenRegistration _registration;
    private volatile bool _cancelRequested;

    /// <summary>What to do.</summary>
    public IoVerb Verb { get; private set; }

    /// <summary>Where this submission begins; -1 on a file that cannot seek.</summary>
    public long FileOffset { get; private set; }

    /// <summary>Bytes of this submission; an engine's decorator may lower it with <see cref="Shorten"/>.</summary>
    public int Length { get; private set; }

    /// <summary>Scalar: the first byte; vector: the iovec array. Valid between Submit and Complete.</summary>
    public nint Address { get; private set; }

    /// <summary>Vector: how many iovecs.</summary>
    public int SegmentCount { get; private set; }

    public RwFlags Flags { get; private set; }

    public int Descriptor { get; private set; }

    /// <summary>
    /// Belongs on a thread that may block, not in the ring: what takes several calls (an unaligned direct write, an append), and cached
    /// writes, which the ring would only hand to a kernel worker.
    /// </summary>
    public bool NeedsBlocking { get; private set; }

    public SluiceHandle Handle => _handle!;

    /// <summary>Set by the ring for its own use: the user data of the current submission; 0 when not in the ring.</summary>
    public ulong RingUserData { get; set; }

    /// <summary>The ring that carries this operation, once one has been chosen.</summary>
    public UringEngine? Ring { get; set; }

    /// <summary>Engines' queues link operations through this.</summary>
    public IoOperation? Next { get; set; }

    public IIoInterceptor? Interceptor { get; set; }

    /// <summary>A decorator made the error up: the caller is to see it.</summary>
    public bool IsFault { get; set; }

    /// <summary>The caller no longer wants the result; an engine that has not begun completes with -ECANCELED.</summary>
    public bool IsCancellationRequested => _cancelRequested || _cancellationToken.IsCancellationRequested;

    /// <summary>One blocking call of a file or a block device does all of this submission, and ends by itself.</summary>
    public bool IsPlainTransfer =>
        Verb is IoVerb.Read or IoVerb.Write && FileOffset >= 0 && _handle!.Alignment.Offset != 1 && !IsCancellationRequested;

    public bool IsRead => Verb is IoVerb.Read or IoVerb.ReadVector;

    public static IoOperation ForRead(SluiceHandle handle, Memory<byte> buffer, long fileOffset, int done, CancellationToken token)
    {
        IoOperation operation = Rent(handle, IoVerb.Read, fileOffset, token);
        operation._memory = buffer;
        operation._total = buffer.Length;
        operation._done = done;
        return operation;
    }

    public static IoOperation ForWrite(SluiceHandle handle, ReadOnlyMemory<byte> buffer, long fileOffset, int done, CancellationToken token)
    {
        IoOperation operation = Rent(handle, IoVerb.Write, fileOffset, token);
        operation._memory = System.Runtime.InteropServices.MemoryMarshal.AsMemory(buffer);
        operation._total = buffer.Length;
        operation._done = done;
        return operation;
    }

    public static IoOperation ForAppend(SluiceHandle handle, ReadOnlyMemory<byte> buffer, CancellationToken token)
    {
        IoOperation operation = Rent(handle, IoVerb.Append, -1, token);
        operation._memory = System.Runtime.InteropServices.MemoryMarshal.AsMemory(buffer);
        operation._total = buffer.Length;
        return operation;
    }

    public static IoOperation ForFlush(SluiceHandle handle, bool dataOnly, CancellationToken token) =>
        Rent(handle, dataOnly ? IoVerb.FlushData : IoVerb.Flush, -1, token);

    public static IoOperation ForReadVector(
        SluiceHandle handle, IReadOnlyList<Memory<byte>> buffers, long total, long fileOffset, CancellationToken token)
    {
        IoOperation operation = Rent(handle, IoVerb.ReadVector, fileOffset, token);
        operation._readSegments = buffers;
        operation._total = total;
        return operation;
    }

    public static IoOperation ForWriteVector(
        SluiceHandle handle, IReadOnlyList<ReadOnlyMemory<byte>> buffers, long total, long fileOffset, CancellationToken token)
    {
        IoOperation operation = Rent(handle, IoVerb.WriteVector, fileOffset, token);
        operation._writeSegments = buffers;
        operation._total = total;
        return operation;
    }

    private static IoOperation Rent(SluiceHandle handle, IoVerb verb, long fileOffset, CancellationToken token)
    {
        IoOperation operation = OperationPool.Rent();
        operation._handle = handle;
        operation._engine = handle.EngineInUse;
        operation.Verb = verb;
        operation._startOffset = fileOffset;
        operation._cancellationToken = token;
        return operation;
    }

    /// <summary>Pins, references, and submits. Afterwards the operation may already be complete, and even back in the pool's hands.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed; the operation has gone back to the pool.</exception>
    public void Start()
    {
        SluiceHandle handle = _handle!;
        try
        {
            handle.AddReference(ref _referenced);
            Descriptor = handle.Descriptor;
            Flags = handle.TransferFlags;
            if (Verb is IoVerb.Read or IoVerb.Write or IoVerb.Append)
            {
                _pin = _memory.Pin();
                _base = PinnedMemory.AddressOf(_pin);
            }
            else if (Verb is IoVerb.ReadVector or IoVerb.WriteVector)
            {
                _segments = SegmentCursor.Rent();
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
            Release();
            Abandon();
            throw;
        }

        _engine!.Submit(this);
    }

    /// <summary>A decorator's cut: this submission transfers at most <paramref name="length"/> bytes (rounded up to the alignment).</summary>
    public void Shorten(int length)
    {
        if (length <= 0 || length >= Length || Verb == IoVerb.Append || (NeedsBlocking && _handle!.Alignment.Offset != 1))
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
        // The transfer has ended; what follows may wait for pool threads, and those for the gate.
        LeaveGate();
        if (Interceptor is { } interceptor)
        {
            Interceptor = null;
            interceptor.OnCompleted(this, result);
            return;
        }

        if (result < 0 && Verb is IoVerb.Flush or IoVerb.FlushData && SluiceHandle.IsUnflushable(-result))
        {
            result = 0;
        }

        if (IsRead && _handle!.IsInvalidBehindEnd(result, _startOffset + _done, _total - _done))
        {
            result = 0;
        }

        bool again = result < 0 ? Recover(-result) : Advance(result);
        if (again)
        {
            Resubmit();
        }
        else if (result < 0)
        {
            Fail(-result);
        }
        else
        {
            Finish(_result, null);
        }
    }

    /// <summary>The engine's answer where System.IO reported an exception instead of a number.</summary>
    public void CompleteWith(Exception error)
    {
        Interceptor = null;
        Finish(0, error is OperationCanceledException ? Cancelled() : IoErrors.Wrap(error, Verb, _handle!.Path, FileOffset));
    }

    private void Resubmit()
    {
        if (IsCancellationRequested)
        {
            Fail(Errno.ECANCELED);
            return;
        }

        try
        {
            Prepare();
        }
        catch (Exception e)
        {
            // Pinning a caller's exotic memory may throw; the error belongs to the caller, not to the engine's thread.
            Finish(0, e);
            return;
        }

        _engine!.Submit(this);
    }

    private void Fail(int errno) =>
        Finish(0, errno == Errno.ECANCELED
            ? Cancelled()
            : IoErrors.Create(errno, Verb, _handle!.Path, FileOffset));

    private OperationCanceledException Cancelled() => new(_cancellationToken);

    /// <summary>True when the same submission should be tried again.</summary>
    private bool Recover(int errno)
    {
        SluiceHandle handle = _handle!;
        switch (errno)
        {
            // The kernel cancels what a thread submitted when that thread ends, and reports EFAULT where a cached read was waiting for
            // its pages then (io_req_task_submit): not the caller's wish, so try again.
            case Errno.ECANCELED when !IsCancellationRequested:
            case Errno.EFAULT when Ring is not null:
            case Errno.EINTR:
            case Errno.EAGAIN:
                return ++_retries < MostRetries;
            case Errno.EOPNOTSUPP when (Flags & RwFlags.DontCache) != 0:
                handle.LoseDontCache();
                Flags = handle.TransferFlags;
                return true;
            case Errno.EIO when IsRead && !_readsBlocking && !IsFault && handle.FailsBesideCachedWrites:
                // May be the answer to a direct read beside a cached write: DirectTransfer.ReadBlocks finds out.
                _readsBlocking = true;
                return true;
            case Errno.EINVAL when handle.LoseDirect(Verb, FileOffset, Length):
                return true;
            default:
                return false;
        }
    }

    /// <summary>Books the bytes of one submission; true when more is to be done.</summary>
    private bool Advance(int bytes)
    {
        switch (Verb)
        {
            case IoVerb.Flush or IoVerb.FlushData:
                return false;
            case IoVerb.Append:
                // The blocking call appended everything or failed; where it landed is in _result.
                return false;
            case IoVerb.Read or IoVerb.ReadVector:
                return AdvanceRead(bytes);
            default:
                return AdvanceWrite(bytes);
        }
    }

    private bool AdvanceRead(int bytes)
    {
        int asked = Length;
        int got = bytes;
        if (_bounce is { } bounce)
        {
            asked = (int)Math.Min(_total - _done, Length - _bounceSkip);
            got = Math.Clamp(bytes - _bounceSkip, 0, asked);
            bounce.Span.Slice(_bounceSkip, got).CopyTo(_memory.Span[(int)_done..]);
        }

        _segments?.Advance(got);
        _handle!.AfterRead(FileOffset, bytes);
        _done += got;
        _result = _done;
        _retries = got > 0 ? 0 : _retries;
        if (_done == _total || bytes == 0)
        {
            return false;
        }

        if (FileOffset < 0)
        {
            return got == 0;
        }

        // Short: the file's end, or only as much as there was without waiting. The length tells.
        return (got == asked || !_handle!.IsAtEnd(_startOffset + _done)) && (got > 0 || ++_retries < MostRetries);
    }

    private bool AdvanceWrite(int bytes)
    {
        _segments?.Advance(bytes);
        _done += bytes;
        _result = _done;
        _retries = bytes > 0 ? 0 : _retries;
        _handle!.AfterWrite(FileOffset, bytes);
        if (_done == _total)
        {
            return false;
        }

        if (bytes == 0 && ++_retries >= MostRetries)
        {
            _error = IoErrors.Create(Errno.EIO, Verb, _handle.Path, FileOffset);
            return false;
        }

        return true;
    }
}
