using Sluice.Errors;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Reads a file sequentially, as blocks of bytes, lines, records or binary values. The different kinds of reads can be used in any order.
/// </summary>
/// <remarks>
/// <para>The reader reads the file in blocks. With <see cref="FileCaching.Direct"/>, it reads ahead, and several reads are in progress at
/// the same time; by default, four reads of 1 MiB.</para>
/// <para>A file that grows is read up to its new end. If a file is truncated, the reader can still return data that it read before.</para>
/// <para>The reader is not thread-safe. It supports one call at a time, from any thread. A concurrent call may throw an
/// <see cref="InvalidOperationException"/>. <see cref="Dispose"/> may be called at any time from any thread; a call in progress then throws
/// an <see cref="ObjectDisposedException"/>.</para>
/// <para>A synchronous call that waits for data from a pipe ends only when data arrives or the other end of the pipe is closed, even if the
/// reader is disposed.</para>
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

    /// <summary>Opens a file for sequential reading.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">
    /// The options of the reader, or <see langword="null"/> for the defaults. By default, the file is read from its start with
    /// <see cref="FileCaching.Cached"/>.
    /// </param>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="DirectoryNotFoundException">A directory of the path does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The file cannot be opened for reading, or <paramref name="path"/> is a directory.
    /// </exception>
    /// <exception cref="IOException">The file is in use by another process, or another I/O error occurred.</exception>
    public SluiceReader(string path, SluiceReaderOptions? options = null)
        : this(Open(path, options ??= new SluiceReaderOptions()), options, ownsHandle: true)
    {
    }

    /// <summary>Initializes a reader for a file that is already open.</summary>
    /// <param name="handle">The handle of the file, opened for reading. Other code may use it at the same time.</param>
    /// <param name="options">The options of the reader, or <see langword="null"/> for the defaults.</param>
    /// <param name="ownsHandle">
    /// <see langword="true"/> (the default) to close the handle when the reader is disposed; <see langword="false"/> to leave it
    /// open.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="handle"/> was not opened for reading.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <remarks>
    /// Reading starts at <see cref="SluiceReaderOptions.Offset"/>. The file position of the operating system handle is neither used nor
    /// changed.
    /// </remarks>
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

    /// <summary>Gets the handle of the file that is read.</summary>
    public SluiceHandle SluiceHandle => _handle;

    /// <summary>
    /// Gets the offset of the next byte to read, in bytes from the start of the file. For a pipe, this is the number of bytes that have
    /// been read.
    /// </summary>
    /// <remarks>
    /// After a line that ends with CR LF, the position can be between the CR and the LF. The next call on this reader skips the LF. Code
    /// that continues at this position with another reader must skip the LF itself.
    /// </remarks>
    public long Position => _blockEnd - (_block.Length - _consumed);

    /// <summary>
    /// Gets the number of reads that can be in progress at the same time. The value is 1 unless the file is read with
    /// <see cref="FileCaching.Direct"/>.
    /// </summary>
    public int Depth => _pipeline.Depth;

    /// <summary>Gets the size of one read, in bytes. Single reads can be shorter.</summary>
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
    /// Returns the rest of the current block or, if all of it was read, the next block. The method blocks the calling thread until the
    /// block is available.
    /// </summary>
    /// <param name="block">
    /// When this method returns <see langword="true"/>, the unread bytes of the block, at least one. They are valid until the next call on
    /// the reader.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked before each block is read.
    /// </param>
    /// <returns>
    /// <see langword="true"/> if there were bytes to read; <see langword="false"/> at the end of the file. A later call can return
    /// <see langword="true"/> if the file has grown.
    /// </returns>
    /// <exception cref="IOException">
    /// An I/O error occurred. The message contains the path, the offset and the reason given by the operating system.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The reader or its handle is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
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

    /// <summary>Asynchronously returns the rest of the current block or, if all of it was read, the next block.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. If the call is canceled, no data is lost: the next call returns the same block.
    /// </param>
    /// <returns>
    /// The unread bytes of the block, or an empty memory at the end of the file. The bytes are valid until the next call on the reader.
    /// </returns>
    /// <exception cref="IOException">
    /// An I/O error occurred. The message contains the path, the offset and the reason given by the operating system.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The reader or its handle is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public ValueTask<ReadOnlyMemory<byte>> ReadBlockAsync(CancellationToken cancellationToken = default)
    {
        ValueTask<bool> next = HasUnreadAsync(cancellationToken);
        return next.IsCompletedSuccessfully
            ? new ValueTask<ReadOnlyMemory<byte>>(next.Result ? TakeUnread() : default)
            : AwaitBlock(next);

        async ValueTask<ReadOnlyMemory<byte>> AwaitBlock(ValueTask<bool> task) =>
            await task.ConfigureAwait(false) ? TakeUnread() : default(ReadOnlyMemory<byte>);
    }

    /// <summary>Sets the position at which reading continues.</summary>
    /// <param name="offset">The new position, in bytes from the start of the file. It can be beyond the end of the file.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> is negative.</exception>
    /// <exception cref="NotSupportedException">The file does not support seeking.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <remarks>Data that was read ahead is discarded, unless the new position is within the current block.</remarks>
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

    /// <summary>Closes the reader and, if the reader owns it, the handle.</summary>
    /// <remarks>
    /// This method can be called more than once, and from any thread. If another call is in progress, that call throws an
    /// <see cref="ObjectDisposedException"/>.
    /// </remarks>
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

    /// <summary>Closes the reader and, if the reader owns it, the handle.</summary>
    /// <returns>A completed task. This method does the same as <see cref="Dispose"/>.</returns>
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
