using System.Buffers;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Writes a file sequentially. The writer collects bytes in a buffer, called a block, and writes the block when it is full.
/// </summary>
/// <remarks>
/// <para>With <see cref="FileCaching.Direct"/>, several blocks are written at the same time; by default, four blocks of 1 MiB.</para>
/// <para>Written bytes can stay in the writer until <see cref="Flush"/>, <see cref="Complete"/> or <see cref="Dispose"/> is called.
/// <see cref="Dispose"/> completes the file and throws an exception if that fails. If a writer is not disposed, bytes that are still in the
/// writer are lost: unlike <see cref="FileStream"/>, the type has no finalizer that writes them.</para>
/// <para>With <see cref="FileCaching.Direct"/>, the writer reserves disk space in advance. While the writer is open, the file may therefore
/// be longer than the written data; the rest reads as zeros. <see cref="Complete"/> sets the length of the file to the end of the
/// data. A writer that is not disposed leaves the file longer.</para>
/// <para>After a write has failed, every later call throws the same exception. The message contains the offset of the failed write.
/// <see cref="Dispose"/> then truncates the file before the failed write, so that the file has no gap. Data that was flushed is kept. The
/// file is not truncated if another process has made it longer.</para>
/// <para>After a flush to the disk has failed, every later call throws the same exception too. The message contains no offset, and the file
/// is not truncated.</para>
/// <para>The writer is not thread-safe. It supports one call at a time, from any thread. A concurrent call throws an
/// <see cref="InvalidOperationException"/>. <see cref="Dispose"/> may be called at any time from any thread. If a call is in progress, that
/// call completes and closes the file and then throws an <see cref="ObjectDisposedException"/>. <see cref="Position"/> is the offset after
/// the bytes that the writer accepted.</para>
/// <para>A synchronous write to a pipe ends only when the other end of the pipe reads the bytes or is closed, even if the writer is
/// disposed.</para>
/// <para>Text is written in the encoding of <see cref="SluiceWriterOptions.Encoding"/>. Text and bytes can be mixed. When the writer
/// is flushed, or when bytes are written after text, the encoder is reset. If the text ends with the first half of a surrogate pair, the
/// fallback of the encoding applies to it.</para>
/// <para>A cancellation does not discard bytes that the writer has already accepted. They are written exactly once, before the bytes of the
/// next call.</para>
/// </remarks>
public sealed partial class SluiceWriter : IBufferWriter<byte>, IDisposable, IAsyncDisposable
{
    private readonly SluiceHandle _handle;
    private readonly bool _ownsHandle;
    private readonly bool _flushToDisk;
    private readonly WritePipeline _pipeline;
    private byte[]? _scratch;
    private int _lent;
    private bool _completed;
    private int _busy;
    private int _closing;

    /// <summary>Why what was not flushed is given up; null where it is not.</summary>
    private Exception? _abandoned;

    /// <summary>Opens or creates a file for sequential writing.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">
    /// The options of the writer, or <see langword="null"/> for the defaults. By default, the file is created or overwritten, with
    /// <see cref="FileCaching.Cached"/>.
    /// </param>
    /// <exception cref="ArgumentException">
    /// <paramref name="path"/> is empty or is not a valid path, or <see cref="SluiceWriterOptions.UnixCreateMode"/> is set and
    /// <see cref="SluiceWriterOptions.Mode"/> does not create files.
    /// </exception>
    /// <exception cref="ArgumentNullException"><paramref name="path"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="FileNotFoundException">
    /// The file does not exist, and <see cref="SluiceWriterOptions.Mode"/> does not create files.
    /// </exception>
    /// <exception cref="DirectoryNotFoundException">A directory of the path does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">
    /// The file cannot be opened for writing, or <paramref name="path"/> is a directory.
    /// </exception>
    /// <exception cref="IOException">
    /// The file is in use by another process, there is not enough disk space for <see cref="SluiceWriterOptions.PreallocationSize"/>, or
    /// another I/O error occurred.
    /// </exception>
    public SluiceWriter(string path, SluiceWriterOptions? options = null)
        : this(Open(path, options ??= new SluiceWriterOptions()), options, ownsHandle: true, isOpenedHere: true)
    {
    }

    /// <summary>Initializes a writer for a file that is already open.</summary>
    /// <param name="handle">
    /// The handle of the file, opened for writing. Other code can use the handle at the same time, but must not write at or after the
    /// position of this writer.
    /// </param>
    /// <param name="options">The options of the writer, or <see langword="null"/> for the defaults.</param>
    /// <param name="ownsHandle">
    /// <see langword="true"/> (the default) to close the handle when the writer is disposed; <see langword="false"/> to leave it
    /// open.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException"><paramref name="handle"/> was not opened for writing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is outside its range.</exception>
    /// <exception cref="IOException">
    /// There is not enough disk space for <see cref="SluiceWriterOptions.PreallocationSize"/>, or another I/O error occurred.
    /// </exception>
    /// <remarks>
    /// Writing starts at <see cref="SluiceWriterOptions.Offset"/>. The file position of the operating system handle is neither used nor
    /// changed. If the constructor throws an exception, the handle stays open.
    /// </remarks>
    public SluiceWriter(SluiceHandle handle, SluiceWriterOptions? options = null, bool ownsHandle = true)
        : this(handle, options, ownsHandle, isOpenedHere: false)
    {
    }

    private SluiceWriter(SluiceHandle handle, SluiceWriterOptions? options, bool ownsHandle, bool isOpenedHere)
    {
        ArgumentNullException.ThrowIfNull(handle);
        if ((handle.Access & FileAccess.Write) == 0)
        {
            throw new ArgumentException("The handle was not opened for writing.", nameof(handle));
        }

        options ??= new SluiceWriterOptions();
        options.Check();
        _handle = handle;
        handle.HasOwnOffsets = true;
        _ownsHandle = ownsHandle;
        _flushToDisk = options.FlushToDisk;
        _encoding = options.Encoding;
        _newLine = options.NewLine;
        try
        {
            long start = options.Offset ?? (options.Mode == FileMode.Append && handle.CanSeek ? handle.Length : 0);
            _pipeline = new WritePipeline(handle, start, options);
        }
        catch when (isOpenedHere)
        {
            handle.Dispose();
            throw;
        }
    }

    /// <summary>Gets the handle of the file that is written.</summary>
    public SluiceHandle SluiceHandle => _handle;

    /// <summary>
    /// Gets the offset of the next byte to write, in bytes from the start of the file. For a pipe, this is the number of bytes that have
    /// been written.
    /// </summary>
    public long Position => _pipeline.Position;

    /// <summary>
    /// Gets the number of writes that can be in progress at the same time. The value is 1 unless the file is written with
    /// <see cref="FileCaching.Direct"/>.
    /// </summary>
    public int Depth => _pipeline.Depth;

    /// <summary>Gets the size of one write, in bytes. Single writes can be shorter or longer.</summary>
    public int RequestSize => _pipeline.RequestSizeBytes;

    internal bool IsDisposed => IsClosing;

    /// <summary>Writes bytes. The method may block the calling thread until earlier writes have completed.</summary>
    /// <param name="bytes">The bytes to write. The memory can be changed after this method returns.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked before each block is written. After a cancellation,
    /// <see cref="Position"/> is the offset after the bytes that the writer accepted.
    /// </param>
    /// <exception cref="IOException">
    /// This write or an earlier one failed. The message contains the offset of the failure.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public void Write(ReadOnlySpan<byte> bytes, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
            if (IsTextPending && !bytes.IsEmpty)
            {
                PutText([], isLast: true, cancellationToken);
            }

            while (!bytes.IsEmpty)
            {
                if (IsLarge(bytes.Length))
                {
                    _pipeline.WriteThrough(bytes, cancellationToken);
                    return;
                }

                bytes = bytes[Take(bytes)..];
                if (_pipeline.IsFull)
                {
                    WritePipeline.Ended(_pipeline.PushAsync(isAsync: false, cancellationToken));
                }
            }
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>Asynchronously writes bytes.</summary>
    /// <param name="bytes">The bytes to write. The memory must not change until the task has completed.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, <see cref="Position"/> is the offset after the bytes that the
    /// writer accepted.
    /// </param>
    /// <returns>A task that completes when the bytes have been copied to the writer or written to the file.</returns>
    /// <exception cref="IOException">
    /// This write or an earlier one failed. The message contains the offset of the failure.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        Enter();
        return !IsTextPending && !_pipeline.IsFull && !IsWrittenThrough(bytes.Length) && bytes.Length < RoomNow()
            ? TakeAndLeave(bytes)
            : WriteSlowAsync(bytes, cancellationToken);
    }

    /// <summary>
    /// Returns memory to write to, of at least the requested size. The method may block the calling thread until earlier writes have
    /// completed.
    /// </summary>
    /// <param name="sizeHint">The smallest size of the memory, in bytes, or 0 (the default) for any size greater than 0.</param>
    /// <returns>
    /// The memory to write to. It is valid until the next call on the writer. After you fill the beginning of the memory, call
    /// <see cref="Advance"/> with the number of bytes that you stored there.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="IOException">An earlier write failed. The message contains the offset of the failure.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        Enter();
        try
        {
            if (IsTextPending)
            {
                PutText([], isLast: true, CancellationToken.None);
            }

            if (_pipeline.IsFull)
            {
                WritePipeline.Ended(_pipeline.PushAsync(isAsync: false, CancellationToken.None));
            }

            Memory<byte> room = _pipeline.Room;
            if (sizeHint > room.Length)
            {
                if (_scratch is null || _scratch.Length < sizeHint)
                {
                    _scratch = GC.AllocateUninitializedArray<byte>(Math.Max(sizeHint, 4096));
                }

                _lent = -_scratch.Length;
                return _scratch;
            }

            _lent = room.Length;
            return room;
        }
        finally
        {
            Leave();
        }
    }

    /// <summary>
    /// Returns a span to write to, of at least the requested size. The method may block the calling thread until earlier writes have
    /// completed.
    /// </summary>
    /// <param name="sizeHint">The smallest size of the span, in bytes, or 0 (the default) for any size greater than 0.</param>
    /// <returns>
    /// The span to write to. It is valid until the next call on the writer. Call <see cref="Advance"/> to write the bytes at its start.
    /// </returns>
    /// <inheritdoc cref="GetMemory" path="/exception"/>
    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    /// <summary>Writes the first bytes of the memory that <see cref="GetMemory"/> or <see cref="GetSpan"/> returned.</summary>
    /// <param name="count">The number of bytes to write.</param>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="count"/> is negative or greater than the size of the memory that was returned.
    /// </exception>
    /// <exception cref="IOException">
    /// This write or an earlier one failed. The message contains the offset of the failure.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    /// <remarks>The method may block the calling thread until earlier writes have completed.</remarks>
    public void Advance(int count)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        ObjectDisposedException.ThrowIf(IsClosing, this);
        int lent = _lent;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(count, Math.Abs(lent));
        if (lent < 0)
        {
            Write(_scratch.AsSpan(0, count));
        }
        else if (lent > 0)
        {
            Enter();
            _pipeline.Advance(count);
            Leave();
        }
    }

    private static SluiceHandle Open(string path, SluiceWriterOptions options)
    {
        options.Check();
        return SluiceHandle.Open(path, new SluiceOptions
        {
            // In append mode the kernel would ignore the offsets of writes in flight: the writer begins at the end by itself.
            Mode = options.Mode == FileMode.Append ? FileMode.OpenOrCreate : options.Mode,
            Access = options.Caching == FileCaching.Direct ? FileAccess.ReadWrite : FileAccess.Write,
            Share = options.Share,
            Caching = options.Caching,
            Engine = options.Engine,
            UnixCreateMode = options.UnixCreateMode,
            Options = FileOptions.Asynchronous,

            // Where there is fallocate, the pipeline reserves the space, from any offset and in any mode.
            PreallocationSize = !OperatingSystem.IsLinux() && options.Mode is (FileMode.Create or FileMode.CreateNew)
                ? options.PreallocationSize : 0,
        });
    }

    /// <summary>Cached, and no smaller than a block of its own: written from where it is.</summary>
    private bool IsLarge(int length) =>
        !_pipeline.IsOverlapped && _pipeline.IsBlockEmpty && !_pipeline.IsFull && length >= _pipeline.RequestSizeBytes;

    /// <summary>As <see cref="IsLarge"/>, where it is awaited: not by a pipe, which may never take it.</summary>
    private bool IsWrittenThrough(int length) => IsLarge(length) && _handle.CanSeek;

    /// <summary>Bytes that the block takes, of a call that has just entered: where there is no memory for one, it leaves.</summary>
    private int RoomNow()
    {
        try
        {
            return _pipeline.Room.Length;
        }
        catch
        {
            Leave();
            throw;
        }
    }

    private int Take(ReadOnlySpan<byte> bytes)
    {
        Span<byte> room = _pipeline.Room.Span;
        int count = Math.Min(bytes.Length, room.Length);
        bytes[..count].CopyTo(room);
        _pipeline.Advance(count);
        return count;
    }

    private ValueTask TakeAndLeave(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            // The memory may be of the caller's own making, and throw.
            _ = Take(bytes.Span);
        }
        catch
        {
            Leave();
            throw;
        }

        return TryLeave() ? ValueTask.CompletedTask : CloseAfterCallAsync(isAsync: true);
    }

    private async ValueTask WriteSlowAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken)
    {
        try
        {
            if (IsTextPending && !bytes.IsEmpty)
            {
                await PutTextAsync(default, isLast: true, cancellationToken).ConfigureAwait(false);
            }

            while (true)
            {
                if (_pipeline.IsFull)
                {
                    await _pipeline.PushAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
                }

                if (bytes.IsEmpty)
                {
                    return;
                }

                if (IsWrittenThrough(bytes.Length))
                {
                    await _pipeline.WriteThroughAsync(bytes, cancellationToken).ConfigureAwait(false);
                    return;
                }

                bytes = bytes[Take(bytes.Span)..];
            }
        }
        finally
        {
            await LeaveAsync().ConfigureAwait(false);
        }
    }

    private bool IsClosing => Volatile.Read(ref _closing) != 0;

    private void Enter()
    {
        ObjectDisposedException.ThrowIf(IsClosing, this);
        if (Interlocked.Exchange(ref _busy, 1) != 0)
        {
            ObjectDisposedException.ThrowIf(IsClosing, this);
            throw new InvalidOperationException("A writer takes one call at a time.");
        }

        if (_completed)
        {
            Leave();
            throw new InvalidOperationException("The writer is complete.");
        }

        _lent = 0;
        if (_pipeline.IsFaulted)
        {
            Leave();
            _pipeline.ThrowIfFaulted();
        }
    }

    /// <summary>False when the writer was disposed of meanwhile, and closing it was left to this call.</summary>
    private bool TryLeave()
    {
        // A plain store and a plain load: whoever disposes has a barrier for both sides.
        Volatile.Write(ref _busy, 0);
        return !IsClosing || Interlocked.CompareExchange(ref _busy, 1, 0) != 0;
    }

    private void Leave()
    {
        if (!TryLeave())
        {
            WritePipeline.Ended(CloseAfterCallAsync(isAsync: false));
        }
    }

    private ValueTask LeaveAsync() => TryLeave() ? ValueTask.CompletedTask : CloseAfterCallAsync(isAsync: true);
}
