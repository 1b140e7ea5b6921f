using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;
using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Handles;
using Sluice.Kernel;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Reads a file sequentially, as blocks of bytes, lines, records or strings. The different kinds of reads can be used in any order.
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
public sealed class SluiceReader : IDisposable, IAsyncDisposable
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
    private LineCarry? _carry;

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
    public long Position => _blockEnd - (_block.Length - _consumed);

    /// <summary>Gets or sets the number of consumed bytes of the block.</summary>
    internal int Consumed
    {
        get => _consumed;
        set => _consumed = value;
    }

    internal ReadOnlyMemory<byte> Block => _block;

    internal bool IsDisposed => (Volatile.Read(ref _state) & Disposed) != 0;

    private bool IsUsedUp => _consumed == _block.Length;

    private LineCarry Carry => _carry ??= new LineCarry(_handle.Path, Array.MaxLength);

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
            Exit();
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
            // The call in progress closes the reader when its wait has ended.
            _pipeline.CancelAwaited();
            return;
        }

        // Another thread may still read the block, so its memory is not returned to the pool.
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

    /// <summary>Returns true if there is an unread byte. Reads the next block if necessary.</summary>
    internal bool HasUnread(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        return !IsUsedUp || NextBlock(cancellationToken);
    }

    /// <summary>Returns true if there is an unread byte. Asynchronously reads the next block if necessary.</summary>
    internal ValueTask<bool> HasUnreadAsync(CancellationToken cancellationToken)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        return !IsUsedUp ? new ValueTask<bool>(true) : NextBlockAsync(cancellationToken);
    }

    /// <summary>Copies unread bytes of the current block to the destination. Returns their number.</summary>
    internal int TakeInto(Span<byte> destination)
    {
        ReadOnlySpan<byte> unread = Unread;
        int count = Math.Min(unread.Length, destination.Length);
        unread[..count].CopyTo(destination);
        _consumed += count;
        return count;
    }

    /// <summary>Reads the next block after the current one was consumed. Returns false at the end of the file.</summary>
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
            Exit();
        }
    }

    /// <summary>Asynchronously reads the next block after the current one was consumed. Returns false at the end of the file.</summary>
    internal ValueTask<bool> NextBlockAsync(CancellationToken cancellationToken)
    {
        Enter();
        ValueTask<BlockTransfer?> next = StartNext(cancellationToken);
        if (!next.IsCompletedSuccessfully || _progress is not null)
        {
            return AwaitNext(next);
        }

        bool result = Accept(next.Result);
        Exit();
        return new ValueTask<bool>(result);

        async ValueTask<bool> AwaitNext(ValueTask<BlockTransfer?> task)
        {
            try
            {
                return Accept(await task.ConfigureAwait(false));
            }
            finally
            {
                Exit();
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

        // The block has been accepted: if this throws, the next call returns the block.
        _progress?.Report(_blockEnd);
        return true;
    }

    private Memory<byte> TakeUnread()
    {
        Memory<byte> result = _block[_consumed..];
        _consumed = _block.Length;
        return result;
    }

    /// <summary>Restores the position after a call that failed. The position of a pipe cannot be restored.</summary>
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
            throw new InvalidOperationException("Another call on the reader is in progress.");
        }
    }

    /// <exception cref="ObjectDisposedException">
    /// The reader was disposed during the call. This method has closed it, and the result of the call is discarded.
    /// </exception>
    private void Exit() => ObjectDisposedException.ThrowIf(!TryExit(), this);

    private bool TryExit()
    {
        if (Interlocked.CompareExchange(ref _state, Idle, Busy) == Busy)
        {
            return true;
        }

        // The block can be released, because the result of this call has not been returned.
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

    /// <summary>Enumerates the lines from the current position to the end of the file, as bytes.</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The lines without their line endings. Each line is valid until the next one is requested.</returns>
    /// <remarks>
    /// <para>This method works for UTF-8 and for other encodings in which LF and CR are single bytes. As with <see cref="StreamReader"/>, a
    /// line ends with LF, CR LF or a single CR, and the last line need not have a line ending. A UTF-8 byte order mark at the start of the
    /// file is skipped. A line can be up to 2 GiB long.</para>
    /// <para>Do not call other members of the reader inside the loop. When the loop ends, the reader is positioned after the last line that
    /// was returned.</para>
    /// </remarks>
    public LineEnumerable EnumerateLines(CancellationToken cancellationToken = default) => new(this, cancellationToken);

    /// <summary>Asynchronously enumerates the lines from the current position to the end of the file, as bytes.</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The lines without their line endings. Each line is valid only until the next one is requested.</returns>
    /// <exception cref="IOException">An I/O error occurred, or a line is longer than 2 GiB.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException">
    /// The cancellation token was canceled. No data is lost: the next call on the reader continues with the line that was not returned.
    /// </exception>
    /// <inheritdoc cref="EnumerateLines" path="/remarks"/>
    public IAsyncEnumerable<ReadOnlyMemory<byte>> EnumerateLinesAsync(CancellationToken cancellationToken = default) =>
        new AsyncLines(this, cancellationToken);

    /// <summary>Reads one line as bytes. The method blocks the calling thread until the line is available.</summary>
    /// <param name="line">
    /// When this method returns <see langword="true"/>, the line without its line ending. It is valid until the next call on the
    /// reader.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns><see langword="true"/> if a line was read; <see langword="false"/> at the end of the file.</returns>
    /// <exception cref="IOException">An I/O error occurred, or the line is longer than 2 GiB.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException">
    /// <paramref name="cancellationToken"/> was canceled. No data is lost: the next call continues with the line that was not returned.
    /// </exception>
    /// <remarks>For the definition of a line, see <see cref="EnumerateLines"/>.</remarks>
    public bool TryReadLine(out ReadOnlySpan<byte> line, CancellationToken cancellationToken = default)
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        do
        {
            if (TryTakeLine(out line))
            {
                return true;
            }
        }
        while (NextBlockOfLine(cancellationToken));
        return TryTakeLastLine(out line);
    }

    /// <summary>Enumerates the lines from the current position to the end of the file, as strings.</summary>
    /// <param name="encoding">
    /// The encoding of a file without a byte order mark, or <see langword="null"/> (the default) for UTF-8.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The lines without their line endings.</returns>
    /// <exception cref="IOException">An I/O error occurred.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The lines are the same as those of <see cref="File.ReadLines(string, Encoding)"/>: a byte order mark of UTF-8, UTF-16 or UTF-32 at
    /// the start of the file overrides <paramref name="encoding"/>. If you leave the loop before the last line of the file, call
    /// <see cref="Seek"/> before the next read. The reader may already have read past the last line that it returned.
    /// </remarks>
    public IEnumerable<string> ReadStringLines(Encoding? encoding = null, CancellationToken cancellationToken = default)
    {
        using LineDecoder lines = new(_handle.Path, encoding ?? Encoding.UTF8, isAtStart: Position == 0);
        while (DecodeLines(lines, cancellationToken))
        {
            while (lines.TryTake(out string? line))
            {
                yield return line;
                ObjectDisposedException.ThrowIf(IsDisposed, this);
            }
        }
    }

    /// <summary>Asynchronously enumerates the lines from the current position to the end of the file, as strings.</summary>
    /// <param name="encoding">
    /// The encoding of a file without a byte order mark, or <see langword="null"/> (the default) for UTF-8.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>The lines without their line endings.</returns>
    /// <exception cref="IOException">An I/O error occurred.</exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The lines are the same as those of <see cref="File.ReadLines(string, Encoding)"/>: a byte order mark of UTF-8, UTF-16 or UTF-32 at
    /// the start of the file overrides <paramref name="encoding"/>. If you leave the loop before the last line of the file, call
    /// <see cref="Seek"/> before the next read. The reader may already have read past the last line that it returned.
    /// </remarks>
    public async IAsyncEnumerable<string> ReadStringLinesAsync(
        Encoding? encoding = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        using LineDecoder lines = new(_handle.Path, encoding ?? Encoding.UTF8, isAtStart: Position == 0);
        while (await DecodeLinesAsync(lines, cancellationToken).ConfigureAwait(false))
        {
            while (lines.TryTake(out string? line))
            {
                yield return line;
                ObjectDisposedException.ThrowIf(IsDisposed, this);
            }
        }
    }

    /// <summary>Adds the next block, or the end of the file, to a decoder. Returns false if the decoder already has the end.</summary>
    internal async ValueTask<bool> DecodeLinesAsync(LineDecoder decoder, CancellationToken cancellationToken)
    {
        if (decoder.HasEnded)
        {
            return false;
        }

        bool isLast = !await HasUnreadAsync(cancellationToken).ConfigureAwait(false);
        decoder.Add(TakeUnread().Span, isLast);
        return true;
    }

    /// <summary>Returns the next line that ends in this block. Otherwise, stores its beginning and returns false.</summary>
    internal bool TryTakeLine(out ReadOnlySpan<byte> line)
    {
        bool result = Carry.TryTake(Unread, Position, out int consumed, out line);
        _consumed += consumed;
        return result;
    }

    /// <summary>
    /// Reads the next block within a line, like <see cref="NextBlockAsync"/>. If this throws, the reader is positioned at the start of the
    /// line, unless the file is a pipe.
    /// </summary>
    internal async ValueTask<bool> NextBlockOfLineAsync(CancellationToken cancellationToken)
    {
        try
        {
            return await NextBlockAsync(cancellationToken).ConfigureAwait(false);
        }
        catch
        {
            RestoreLinePosition();
            throw;
        }
    }

    /// <summary>Returns the last line if it has no line ending; otherwise, false. Called at the end of the file.</summary>
    internal bool TryTakeLastLine(out ReadOnlySpan<byte> line) => Carry.TryTakeLast(Position, out line);

    private bool DecodeLines(LineDecoder decoder, CancellationToken cancellationToken)
    {
        if (decoder.HasEnded)
        {
            return false;
        }

        bool isLast = !HasUnread(cancellationToken);
        decoder.Add(TakeUnread().Span, isLast);
        return true;
    }

    private bool NextBlockOfLine(CancellationToken cancellationToken)
    {
        try
        {
            return NextBlock(cancellationToken);
        }
        catch
        {
            RestoreLinePosition();
            throw;
        }
    }

    /// <summary>
    /// Moves the position back to the start of an incomplete line, because the next call for a block or a record would miss its stored
    /// bytes.
    /// </summary>
    private void RestoreLinePosition()
    {
        int kept = Carry.KeptBytes(Position);
        if (kept > 0 && !IsDisposed)
        {
            GoBackTo(Position - kept);
        }
    }

    /// <summary>Enumerates fixed-size records from the current position to the end of the file, in batches.</summary>
    /// <typeparam name="T">
    /// The type of the records. A record has the same layout and byte order in the file as this type has in memory.
    /// </typeparam>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The batches of records. Each batch is valid until the next one is requested.</returns>
    /// <remarks>
    /// If the file ends within a record, the enumeration returns all complete records and then throws an
    /// <see cref="InvalidDataException"/>.
    /// </remarks>
    public RecordBatchEnumerable<T> EnumerateRecordBatches<T>(CancellationToken cancellationToken = default)
        where T : unmanaged => new(this, cancellationToken);

    /// <summary>Reads bytes until the destination is full or the end of the file is reached.</summary>
    /// <param name="destination">The span to fill.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>
    /// The number of bytes read. It is less than the length of <paramref name="destination"/> only at the end of the file.
    /// </returns>
    /// <exception cref="IOException">
    /// An I/O error occurred. The message contains the path, the offset and the reason given by the operating system.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The reader is closed.</exception>
    /// <exception cref="InvalidOperationException">Another call on the reader is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// If this method throws an exception, the position of the reader is the same as before the call. For a pipe, it is after the bytes
    /// that were already read.
    /// </remarks>
    public int Read(Span<byte> destination, CancellationToken cancellationToken = default)
    {
        int done = 0;
        long start = 0;
        try
        {
            while (done < destination.Length && HasUnread(cancellationToken))
            {
                start = done == 0 ? Position : start;
                done += TakeInto(destination[done..]);
            }

            return done;
        }
        catch when (done > 0)
        {
            GoBackTo(start);
            throw;
        }
    }

    /// <summary>Reads bytes until the destination is full.</summary>
    /// <param name="destination">The span to fill.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <exception cref="EndOfStreamException">
    /// The file ends before <paramref name="destination"/> is full. The reader is then positioned at the end of the file.
    /// </exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public void ReadExactly(Span<byte> destination, CancellationToken cancellationToken = default)
    {
        if (Read(destination, cancellationToken) < destination.Length)
        {
            ThrowEnd();
        }
    }

    /// <summary>Reads a fixed-size record, such as a number or a struct of numbers.</summary>
    /// <typeparam name="T">
    /// The type of the record. It has the same layout and byte order in the file as in memory; the value is not checked. On a little-endian
    /// processor, numbers have the format of <see cref="BinaryWriter"/>.
    /// </typeparam>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked each time another block is read from the file.
    /// </param>
    /// <returns>The record.</returns>
    /// <exception cref="EndOfStreamException">
    /// The file ends before the end of the record. The reader is then positioned at the end of the file.
    /// </exception>
    /// <inheritdoc cref="Read(Span{byte}, CancellationToken)" path="/exception"/>
    public T ReadRecord<T>(CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        ObjectDisposedException.ThrowIf(IsDisposed, this);
        if (Unsafe.SizeOf<T>() <= _block.Length - _consumed)
        {
            T whole = MemoryMarshal.Read<T>(Unread);
            _consumed += Unsafe.SizeOf<T>();
            return whole;
        }

        T record = default;
        ReadExactly(MemoryMarshal.AsBytes(new Span<T>(ref record)), cancellationToken);
        return record;
    }

    /// <summary>Returns the complete records at the start of the unread bytes, or false if there is none.</summary>
    internal bool TryTakeRecords<T>(out Memory<byte> bytes, out bool isAligned)
        where T : unmanaged
    {
        int size = Unsafe.SizeOf<T>();
        int whole = (_block.Length - _consumed) / size * size;
        bytes = _block.Slice(_consumed, whole);
        isAligned = Records.IsAligned<T>(_blockAddress + _consumed);
        _consumed += whole;
        return whole > 0;
    }

    [DoesNotReturn]
    private void ThrowEnd() => throw new EndOfStreamException($"'{_handle.Path}' ends at offset {Position}, within a value.");

    /// <summary>Follows a log file and returns its lines as they are written, until the enumeration is canceled.</summary>
    /// <param name="path">The path of the file. The file need not exist yet.</param>
    /// <param name="options">
    /// The options, or <see langword="null"/> for the defaults. By default, only lines that are written after the enumeration has begun are
    /// returned.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. Cancel it to end the enumeration.</param>
    /// <returns>The lines as bytes, without their line endings. The memory of each line belongs to the caller.</returns>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><see cref="SluiceFollowOptions.PollInterval"/> is negative.</exception>
    /// <exception cref="UnauthorizedAccessException">The first file with this name cannot be opened for reading.</exception>
    /// <exception cref="IOException">The first file with this name is not a regular file, or an I/O error occurred.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// <para>A line is returned once its line ending has been written.</para>
    /// <para>If the file is replaced by a new file with the same path (log rotation), the rest of the old file is read first. This includes
    /// a last line without a line ending and lines that are written within one more poll interval.</para>
    /// <para>If the file is truncated, an incomplete last line that was already read is returned, and reading continues at the start of the
    /// file. A truncation is not recognized if the file has grown beyond the position of the reader again before the next poll. If the file
    /// is missing or a new file cannot be opened, the enumeration waits and reports no error.</para>
    /// <para>The arguments are checked when the first line is requested. The method is thread-safe.</para>
    /// </remarks>
    public static async IAsyncEnumerable<ReadOnlyMemory<byte>> FollowAsync(
        string path, SluiceFollowOptions? options = null, [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        options ??= new SluiceFollowOptions();
        options.Check();
        using LineFollower follower = new(System.IO.Path.GetFullPath(path), options);
        await foreach (ReadOnlyMemory<byte> line in follower.RunAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return line;
        }
    }

    /// <summary>Returns the next line with a line ending. At the end of the file, stores the rest and returns null.</summary>
    internal async ValueTask<ReadOnlyMemory<byte>?> TryReadWholeLineAsync(CancellationToken cancellationToken)
    {
        do
        {
            if (TryTakeLine(out ReadOnlySpan<byte> line))
            {
                return line.ToArray();
            }
        }
        while (await NextBlockAsync(cancellationToken).ConfigureAwait(false));
        return null;
    }

    /// <summary>Returns the rest of the file after the last line ending, or null if there is none. Called at the end of the file.</summary>
    internal ReadOnlyMemory<byte>? TakeUnendedLine() =>
        TryTakeLastLine(out ReadOnlySpan<byte> line) ? line.ToArray() : default(ReadOnlyMemory<byte>?);

    /// <summary>
    /// Processes a file on several threads. The file is divided into parts at line or record boundaries. A callback is called for each
    /// part, and the results of the callback are returned.
    /// </summary>
    /// <typeparam name="TResult">The type of the result for one part.</typeparam>
    /// <param name="path">The path of the file.</param>
    /// <param name="callback">The method that is called once for each part, by several threads at the same time.</param>
    /// <param name="options">
    /// The options, or <see langword="null"/> for the defaults: lines that end with LF, parts of 256 KiB, and one thread for each
    /// processor.
    /// </param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests. It is checked between parts.</param>
    /// <returns>
    /// The results of the callback. They have the order of the parts in the file, unless <see cref="SluiceScanOptions.Ordered"/> is
    /// <see langword="false"/>.
    /// </returns>
    /// <exception cref="ArgumentException"><paramref name="path"/> is empty or is not a valid path.</exception>
    /// <exception cref="ArgumentNullException">
    /// <paramref name="path"/> or <paramref name="callback"/> is <see langword="null"/>.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The file cannot be opened for reading.</exception>
    /// <exception cref="InvalidDataException">
    /// The length of the file is not a multiple of <see cref="SluiceScanOptions.RecordSize"/>.
    /// </exception>
    /// <exception cref="EndOfStreamException">The file was truncated during the scan.</exception>
    /// <exception cref="NotSupportedException">
    /// The file does not support seeking. For example, it is a pipe, a socket or a terminal.
    /// </exception>
    /// <exception cref="IOException">An I/O error occurred, or a line is longer than 2 GiB.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>
    /// The arguments are checked when the first result is requested. If the callback throws an exception, the scan ends and the enumeration
    /// throws that exception. The method is thread-safe.
    /// </remarks>
    public static async IAsyncEnumerable<TResult> ScanAsync<TResult>(
        string path,
        ScanCallback<TResult> callback,
        SluiceScanOptions? options = null,
        [EnumeratorCancellation] CancellationToken cancellationToken = default)
    {
        ArgumentNullException.ThrowIfNull(callback);
        options ??= new SluiceScanOptions();
        options.Check();
        using SluiceHandle handle = OpenToScan(path, options);
        ParallelScan<TResult> scan = new(handle, callback, options);
        await foreach (TResult result in scan.RunAsync(cancellationToken).ConfigureAwait(false))
        {
            yield return result;
        }
    }

    private static SluiceHandle OpenToScan(string path, SluiceScanOptions options)
    {
        if (!Libc.IsSupported || string.IsNullOrEmpty(path))
        {
            return SluiceHandle.Open(path, new SluiceOptions { Caching = options.Caching, Engine = options.Engine });
        }

        // Opening a FIFO as .NET does would wait for a writer, and a FIFO has no length.
        SafeFileHandle file = NonBlockingFile.Open(
            path, PathCalls.ReadOnly, createMode: 0, "Scanning", static (verb, name) =>
                new NotSupportedException($"{verb} '{name}' failed: it is a pipe or a socket, which cannot be divided into parts."), out _);
        try
        {
            NonBlockingFile.MakeBlocking(file, path);
        }
        catch
        {
            file.Dispose();
            throw;
        }

        return SluiceHandle.Adopt(file, Path.GetFullPath(path), FileAccess.Read, options.Caching, options.Engine);
    }
}
