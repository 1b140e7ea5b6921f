using Sluice.Errors;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Reads a file from front to back: in blocks, lines, records or typed values, which may follow one another in any order. Direct reads are
/// kept in flight ahead of the caller, as large and as many as make this device faster.
/// </summary>
/// <remarks>
/// One call at a time, from any thread. <see cref="Dispose"/> may come at any moment, from any thread: reads in flight keep their memory
/// until they have ended, and a call that waits ends with an <see cref="ObjectDisposedException"/>. A file that grows is read to its new
/// end; of one that is cut, nothing behind the cut is returned.
/// </remarks>
public sealed partial class SluiceReader : IDisposable, IAsyncDisposable
{
    private const int Idle = 0;
    private const int Busy = 1;
    private const int Disposed = 2;

    private readonly SluiceHandle _handle;
    private readonly bool _ownsHandle;
    private readonly IProgress<long>? _progress;
    private readonly CancellationToken _cancellationToken;
    private readonly ReadPipeline _pipeline;
    private BlockTransfer? _current;
    private Memory<byte> _block;
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
        _cancellationToken = options.CancellationToken;
        _blockEnd = options.Offset;
        _pipeline = new ReadPipeline(handle, options.Offset, options.RequestSize, options.Depth);
    }

    /// <summary>The file.</summary>
    public SluiceHandle Handle => _handle;

    /// <summary>Where the next byte comes from, in bytes from the start of the file; on a pipe, bytes so far.</summary>
    public long Position => _blockEnd - (_block.Length - _consumed);

    /// <summary>Reads in flight at most, at this moment.</summary>
    public int Depth => _pipeline.Depth;

    /// <summary>Bytes of one read, at this moment.</summary>
    public int RequestSize => _pipeline.RequestSizeBytes;

    /// <summary>Nothing of the block is left: it was but the end of a line.</summary>
    private bool IsUsedUp => _consumed == _block.Length;

    private ReadOnlySpan<byte> Unread => _block.Span[_consumed..];

    /// <summary>
    /// The next bytes of the file, as many as there are in the block; empty at its end. Asked again there, it looks whether the file has
    /// grown.
    /// </summary>
    /// <param name="cancellationToken">Looked at before each block.</param>
    /// <returns>Bytes in the reader's own memory, which stand until its next call.</returns>
    /// <exception cref="IOException">The operating system reported an error; message and position tell where.</exception>
    /// <exception cref="ObjectDisposedException">The reader or its handle is closed.</exception>
    public ReadOnlySpan<byte> ReadBlock(CancellationToken cancellationToken = default)
    {
        if (_consumed == _block.Length && !NextBlock(cancellationToken))
        {
            return default;
        }

        ReadOnlySpan<byte> result = Unread;
        _consumed = _block.Length;
        return result;
    }

    /// <summary>As <see cref="ReadBlock"/>, without blocking the caller.</summary>
    /// <param name="cancellationToken">Ends the wait; no byte is lost, the next call returns the same block.</param>
    /// <returns>Bytes in the reader's own memory, which stand until its next call.</returns>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask<ReadOnlyMemory<byte>> ReadBlockAsync(CancellationToken cancellationToken = default)
    {
        if (_consumed < _block.Length)
        {
            return new ValueTask<ReadOnlyMemory<byte>>(TakeUnread());
        }

        ValueTask<bool> next = NextBlockAsync(cancellationToken);
        return next.IsCompletedSuccessfully
            ? new ValueTask<ReadOnlyMemory<byte>>(next.Result ? TakeUnread() : default)
            : AwaitBlock(next);

        async ValueTask<ReadOnlyMemory<byte>> AwaitBlock(ValueTask<bool> task) =>
            await task.ConfigureAwait(false) ? TakeUnread() : default(ReadOnlyMemory<byte>);
    }

    /// <summary>Fills as much of the destination as the file has; fewer bytes only at its end.</summary>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public int Read(Span<byte> destination, CancellationToken cancellationToken = default)
    {
        int done = 0;
        while (done < destination.Length && (_consumed < _block.Length || NextBlock(cancellationToken)))
        {
            int count = Math.Min(_block.Length - _consumed, destination.Length - done);
            Unread[..count].CopyTo(destination[done..]);
            _consumed += count;
            done += count;
        }

        return done;
    }

    /// <summary>Goes on at another place; what was read ahead is dropped unless the place lies in the current block.</summary>
    /// <param name="offset">In bytes from the start of the file.</param>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    public void Seek(long offset)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(offset);
        if (!_handle.CanSeek)
        {
            IoErrors.ThrowUnseekable("Seeking in", _handle.Path);
        }

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
            _pipeline.CancelAwaited();
        }
        else
        {
            Close();
        }
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

    /// <summary>Gets the next block, the current one being consumed; false at the end.</summary>
    private bool NextBlock(CancellationToken cancellationToken)
    {
        OwnOr(cancellationToken).ThrowIfCancellationRequested();
        Enter();
        try
        {
            bool hasBlock;
            do
            {
                DropCurrent();
                hasBlock = Accept(_pipeline.Next());
            }
            while (hasBlock && IsUsedUp);
            return hasBlock;
        }
        finally
        {
            Leave();
        }
    }

    private ValueTask<bool> NextBlockAsync(CancellationToken cancellationToken)
    {
        cancellationToken = OwnOr(cancellationToken);
        Enter();
        bool isAwaited = false;
        try
        {
            DropCurrent();
            ValueTask<BlockTransfer?> next = _pipeline.NextAsync(cancellationToken);
            if (next.IsCompletedSuccessfully)
            {
                bool hasBlock = Accept(next.Result);
                if (!hasBlock || !IsUsedUp)
                {
                    return new ValueTask<bool>(hasBlock);
                }

                DropCurrent();
                ValueTask<BlockTransfer?> second = _pipeline.NextAsync(cancellationToken);
                isAwaited = true;
                return AwaitNext(second);
            }

            isAwaited = true;
            return AwaitNext(next);
        }
        catch (Exception e) when (e is not ObjectDisposedException)
        {
            return e is OperationCanceledException canceled
                ? ValueTask.FromCanceled<bool>(canceled.CancellationToken)
                : ValueTask.FromException<bool>(e);
        }
        finally
        {
            if (!isAwaited)
            {
                Leave();
            }
        }

        async ValueTask<bool> AwaitNext(ValueTask<BlockTransfer?> task)
        {
            try
            {
                bool hasBlock = Accept(await task.ConfigureAwait(false));
                while (hasBlock && IsUsedUp)
                {
                    DropCurrent();
                    hasBlock = Accept(await _pipeline.NextAsync(cancellationToken).ConfigureAwait(false));
                }

                return hasBlock;
            }
            finally
            {
                Leave();
            }
        }
    }

    /// <summary>The call's token, or, where it brings none, the reader's.</summary>
    private CancellationToken OwnOr(CancellationToken cancellationToken) =>
        cancellationToken.CanBeCanceled ? cancellationToken : _cancellationToken;

    private bool Accept(BlockTransfer? block)
    {
        if (block is null)
        {
            return false;
        }

        _current = block;
        _block = block.Block.Memory[..block.Result];
        _consumed = _carry?.SkipAtBorder(_block.Span) ?? 0;
        _blockEnd = block.Offset + block.Result;
        _progress?.Report(_blockEnd);
        return true;
    }

    private Memory<byte> TakeUnread()
    {
        Memory<byte> result = _block[_consumed..];
        _consumed = _block.Length;
        return result;
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

    private void Leave()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Busy) != Busy)
        {
            // Disposed meanwhile: closing was left to this call.
            Close();
        }
    }

    private void Close()
    {
        DropCurrent();
        _pipeline.Close();
        if (_ownsHandle)
        {
            _handle.Dispose();
        }
    }
}
