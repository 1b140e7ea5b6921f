using Sluice.Errors;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Reads a file from front to back: in blocks, lines, records or typed values, which may follow one another in any order. Direct reads are
/// kept in flight ahead of the caller, as large and as many as make this device faster.
/// </summary>
/// <remarks>
/// One call at a time, from any thread. <see cref="Dispose"/> may come at any moment, from any thread: reads in flight keep their memory
/// until they have ended, and a call that waits ends with an <see cref="ObjectDisposedException"/>; a synchronous one that waits for a pipe
/// ends so when something comes, or when the other end goes, and where there is no ring a thread waits so long for one that was awaited. A
/// file that grows is read to its new end; of one that is cut, nothing behind the cut is returned.
/// </remarks>
public sealed partial class SluiceReader : IDisposable, IAsyncDisposable
{
    private const int Idle = 0;
    private const int Busy = 1;
    private const int Disposed = 2;

    private readonly SluiceHandle _handle;
    private readonly bool _ownsHandle;
    private readonly IProgress<long>? _progress;
    private readonly ReadPipeline _pipeline;
    private BlockTransfer? _current;
    private Memory<byte> _block;
    private nint _blockAddress;
    private int _consumed;
    private long _blockEnd;
    private int _state;

    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How to read; null for a cached file from its start.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public SluiceReader(string path, SluiceReaderOptions? options = null)
        : this(Open(path, options ??= new SluiceReaderOptions()), options, ownsHandle: true)
    {
    }

    /// <summary>Reads an open file. Its position, where it has one, stays as it is.</summary>
    /// <param name="handle">The file; others may use it at the same time.</param>
    /// <param name="options">How to read; null for the defaults.</param>
    /// <param name="ownsHandle">Whether disposing the reader closes the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is null.</exception>
    /// <exception cref="ArgumentException">The handle was not opened for reading.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    public SluiceReader(SluiceHandle handle, SluiceReaderOptions? options = null, bool ownsHandle = true)
    {
        ArgumentNullException.ThrowIfNull(handle);
        if ((handle.Access & FileAccess.Read) == 0)
        {
            throw new ArgumentException("The handle was not opened for reading.", nameof(handle));
        }

        options ??= new SluiceReaderOptions();
        options.Check();
        _handle = handle;
        _ownsHandle = ownsHandle;
        _progress = options.Progress;
        _blockEnd = options.Offset;
        _pipeline = new ReadPipeline(handle, options.Offset, options.RequestSize, options.Depth);
    }

    /// <summary>The file.</summary>
    public SluiceHandle SluiceHandle => _handle;

    /// <summary>Where the next byte comes from, in bytes from the start of the file; on a pipe, bytes so far.</summary>
    /// <remarks>
    /// Where a line ended with a CR at the end of a block, this is the place of the LF that may follow it: only the next call finds out
    /// that it belongs to the line, and passes over it. Whoever goes on from here with another reader looks at that byte first. Where a
    /// file ended with a CR and an LF is appended later, that LF is an empty line.
    /// </remarks>
    public long Position => _blockEnd - (_block.Length - _consumed);

    /// <summary>Reads in flight at most, at this moment.</summary>
    public int Depth => _pipeline.Depth;

    /// <summary>Bytes of one read, at this moment.</summary>
    public int RequestSize => _pipeline.RequestSizeBytes;

    /// <summary>How far within the block the bytes have been taken.</summary>
    internal int Consumed
    {
        get => _consumed;
        set => _consumed = value;
    }

    internal ReadOnlyMemory<byte> Block => _block;

    internal IProgress<long>? Progress => _progress;

    internal bool IsDisposed => (Volatile.Read(ref _state) & Disposed) != 0;

    private bool IsUsedUp => _consumed == _block.Length;

    private ReadOnlySpan<byte> Unread => _block.Span[_consumed..];

    /// <summary>
    /// The next bytes of the file, as many as there are in the block; false at its end. Asked again there, it looks whether the file has
    /// grown.
    /// </summary>
    /// <param name="block">Bytes in the reader's own memory, which stand until its next call; never empty where the result is true.</param>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <exception cref="IOException">The operating system reported an error; message and position tell where.</exception>
    /// <exception cref="ObjectDisposedException">The reader or its handle is closed.</exception>
    public bool TryReadBlock(out ReadOnlySpan<byte> block, CancellationToken cancellationToken = default)
    {
        if (!HasUnread(cancellationToken))
        {
            block = default;
            return false;
        }

        block = Unread;
        _consumed = _block.Length;
        return true;
    }

    /// <summary>As <see cref="TryReadBlock"/>, without blocking the caller; empty at the end of the file.</summary>
    /// <param name="cancellationToken">Ends the wait; no byte is lost, the next call returns the same block.</param>
    /// <returns>Bytes in the reader's own memory, which stand until its next call.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<ReadOnlyMemory<byte>> ReadBlockAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<bool> next = HasUnreadAsync(cancellationToken);
        return next.IsCompletedSuccessfully
            ? new ValueTask<ReadOnlyMemory<byte>>(next.Result ? TakeUnread() : default)
            : AwaitBlock(next);

        async ValueTask<ReadOnlyMemory<byte>> AwaitBlock(ValueTask<bool> task) =>
            await task.ConfigureAwait(false) ? TakeUnread() : default(ReadOnlyMemory<byte>);
    }

    /// <summary>Goes on at another place; what was read ahead is dropped unless the place lies in the current block.</summary>
    /// <param name="offset">In bytes from the start of the file.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> is negative.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    public void Seek(long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        if (!_handle.CanSeek)
        {
            IoErrors.ThrowUnseekable("Seeking in", _handle.Path);
        }

        ObjectDisposedException.ThrowIf(IsDisposed, this);
        _carry = null;
        long inBlock = offset - (_blockEnd - _block.Length);
        if (inBlock >= 0 && inBlock < _block.Length)
        {
            _consumed = (int)inBlock;
            return;
        }

        Enter();
        try
        {
            DropCurrent();
            _pipeline.Seek(offset);
            _blockEnd = offset;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Closes the reader, and the file if it is its own. Harmless when called twice.</summary>
    public void Dispose()
    {
        int state = Interlocked.Or(ref _state, Disposed);
        if ((state & Disposed) != 0)
        {
            return;
        }

        if ((state & Busy) != 0)
        {
            // The call that runs closes, when what it waits for has ended.
            _pipeline.CancelAwaited();
            return;
        }

        // Another thread may be looking at the block at this moment: nobody else is given its memory.
        _current?.Block.LeaveToCollector();
        Close();
    }

    /// <summary>Closes the reader, as <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    private static SluiceHandle Open(string path, SluiceReaderOptions options)
    {
        options.Check();
        return SluiceHandle.Open(path, new SluiceOptions
        {
            Share = options.Share,
            Caching = options.Caching,
            Engine = options.Engine,
            Options = FileOptions.Asynchronous,
        });
    }

    /// <summary>Whether there is an unread byte; gets the next block where the current one is used up.</summary>
    internal bool HasUnread(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        return !IsUsedUp || NextBlock(cancellationToken);
    }

    /// <summary>As <see cref="HasUnread"/>, without blocking the caller.</summary>
    internal ValueTask<bool> HasUnreadAsync(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        return !IsUsedUp ? new ValueTask<bool>(true) : NextBlockAsync(cancellationToken);
    }

    /// <summary>Copies as much of what is unread as the destination takes.</summary>
    internal int TakeInto(Span<byte> destination)
    {
        ReadOnlySpan<byte> unread = Unread;
        int count = Math.Min(unread.Length, destination.Length);
        unread[..count].CopyTo(destination);
        _consumed += count;
        return count;
    }

    /// <summary>Gets the next block, the current one being consumed; false at the end.</summary>
    internal bool NextBlock(CancellationToken cancellationToken)
    {
        Enter();
        try
        {
            cancellationToken.ThrowIfCancellationRequested();
            DropCurrent();
            return Accept(_pipeline.Next());
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>As <see cref="NextBlock"/>, without blocking the caller.</summary>
    internal ValueTask<bool> NextBlockAsync(CancellationToken cancellationToken)
    {
        Enter();
        ValueTask<BlockTransfer?> next = StartNext(cancellationToken);
        if (!next.IsCompletedSuccessfully || _progress is not null)
        {
            return AwaitNext(next);
        }

        bool result = Accept(next.Result);
        Leave();
        return new ValueTask<bool>(result);

        async ValueTask<bool> AwaitNext(ValueTask<BlockTransfer?> task)
        {
            try
            {
                return Accept(await task.ConfigureAwait(false));
            }
            finally
            {
                Leave();
            }
        }
    }

    private ValueTask<BlockTransfer?> StartNext(CancellationToken cancellationToken)
    {
        try
        {
            DropCurrent();
            return _pipeline.NextAsync(cancellationToken);
        }
        catch (Exception e)
        {
            return ValueTask.FromException<BlockTransfer?>(e);
        }
    }

    private bool Accept(BlockTransfer? block)
    {
        if (block is null)
        {
            return false;
        }

        _current = block;
        _block = block.Block.Memory[..block.Result];
        _blockAddress = block.Block.Address;
        _consumed = 0;
        _blockEnd = block.Offset + block.Result;

        // The block is the reader's, whatever this throws: the next call returns it.
        _progress?.Report(_blockEnd);
        return true;
    }

    private Memory<byte> TakeUnread()
    {
        Memory<byte> result = _block[_consumed..];
        _consumed = _block.Length;
        return result;
    }

    /// <summary>After a call that failed half-way; a pipe cannot go back.</summary>
    private void GoBackTo(long position)
    {
        if (_handle.CanSeek)
        {
            Seek(position);
        }
    }

    private void DropCurrent()
    {
        if (_current is { } current)
        {
            _current = null;
            _block = default;
            _consumed = 0;
            _pipeline.Release(current);
        }
    }

    private void Enter()
    {
        int state = Interlocked.CompareExchange(ref _state, Busy, Idle);
        ObjectDisposedException.ThrowIf((state & Disposed) != 0, this);
        if (state != Idle)
        {
            throw new InvalidOperationException("A reader takes one call at a time.");
        }
    }

    /// <exception cref="ObjectDisposedException">
    /// Disposed meanwhile: closing was left to this call, whose outcome does not count.
    /// </exception>
    private void Leave() => ObjectDisposedException.ThrowIf(!TryLeave(), this);

    private bool TryLeave()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Busy) == Busy)
        {
            return true;
        }

        // What this call got has been seen by nobody.
        DropCurrent();
        Close();
        return false;
    }

    private void Close()
    {
        _pipeline.Close();
        if (_ownsHandle)
        {
            _handle.Dispose();
        }
    }
}
