using System.Buffers;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Text;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Writes a file sequentially. The writer collects bytes in a buffer, called a block, and writes the block when it is full.
/// </summary>
/// <remarks>
/// <para>With <see cref="FileCaching.Direct"/>, several blocks are written at the same time; by default, four blocks of 1 MiB.</para>
/// <para>Written bytes can stay in the writer until <see cref="Flush"/>, <see cref="Complete"/> or <see cref="Dispose"/> is called.
/// <see cref="Dispose"/> completes the file and throws an exception if that fails. If a writer is not disposed, its finalizer completes a file
/// that supports seeking, as that of a <see cref="FileStream"/> does; errors are then not reported.</para>
/// <para>With <see cref="FileCaching.Direct"/>, the writer reserves disk space in advance. While the writer is open, the file may therefore
/// be longer than the written data; the rest reads as zeros. <see cref="Complete"/> sets the length of the file to the end of the
/// data.</para>
/// <para>After a write has failed, every later call throws the same exception. The message contains the offset of the failed write. With
/// <see cref="FileCaching.Direct"/>, <see cref="Dispose"/> then truncates the file before the failed write, so that the file has no gap.
/// Data that was flushed is kept. The file is not truncated if another process has made it longer.</para>
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
public sealed class SluiceWriter : IBufferWriter<byte>, IDisposable, IAsyncDisposable
{
    private const int Idle = 0;
    private const int Busy = 1;
    private const int Disposed = 2;

    private readonly SluiceHandle _handle;
    private readonly bool _ownsHandle;
    private readonly bool _flushToDisk;
    private readonly WritePipeline _pipeline;
    private readonly Encoding _encoding;
    private readonly string _newLine;

    /// <summary>The encoder, or null if no text has been written.</summary>
    private TextEncoder? _text;
    private byte[]? _scratch;
    private int _lent;
    private bool _completed;
    private int _state;

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

    /// <summary>Completes and closes a file that can seek, if its writer was not disposed.</summary>
    ~SluiceWriter()
    {
        try
        {
            // A pipe is left as it is, because its other end may never read the remaining bytes.
            if (_pipeline is not null && _handle.CanSeek && Interlocked.Or(ref _state, Disposed) == Idle)
            {
                WritePipeline.Ended(CompleteAndCloseAsync(isAsync: false));
            }
        }
#pragma warning disable CA1031 // A finalizer must not throw.
        catch (Exception)
#pragma warning restore CA1031
        {
        }
    }

    /// <summary>Gets the handle of the file that is written.</summary>
    public SluiceHandle SluiceHandle => _handle;

    /// <summary>
    /// Gets the offset of the next byte to write, in bytes from the start of the file. For a pipe, this is the number of bytes that have
    /// been written.
    /// </summary>
    public long Position => _pipeline.Position;

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
            Exit();
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
            ? TakeAndExit(bytes)
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
            Exit();
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
        ObjectDisposedException.ThrowIf((Volatile.Read(ref _state) & Disposed) != 0, this);
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
            Exit();
        }
    }

    private static SluiceHandle Open(string path, SluiceWriterOptions options)
    {
        options.Check();
        return SluiceHandle.Open(path, new SluiceOptions
        {
            // In append mode, the kernel would ignore the offsets of concurrent writes. The writer determines the end of the file itself.
            Mode = options.Mode == FileMode.Append ? FileMode.OpenOrCreate : options.Mode,
            Access = options.Caching == FileCaching.Direct ? FileAccess.ReadWrite : FileAccess.Write,
            Share = options.Share,
            Caching = options.Caching,
            Engine = options.Engine,
            UnixCreateMode = options.UnixCreateMode,
            Options = FileOptions.Asynchronous,

            // On Linux, the pipeline reserves the space with fallocate, at any offset and in any mode.
            PreallocationSize = !OperatingSystem.IsLinux() && options.Mode is (FileMode.Create or FileMode.CreateNew)
                ? options.PreallocationSize : 0,
        });
    }

    /// <summary>
    /// Returns true if bytes are written directly from the caller's memory: the file is not direct, the block is empty, and they fill at
    /// least a block.
    /// </summary>
    private bool IsLarge(int length) =>
        !_pipeline.IsDirect && _pipeline.IsBlockEmpty && !_pipeline.IsFull && length >= _pipeline.RequestSizeBytes;

    /// <summary>
    /// Returns true if an asynchronous call writes bytes directly from the caller's memory. It does not write to a pipe in this way,
    /// because the other end may never read the bytes.
    /// </summary>
    private bool IsWrittenThrough(int length) => IsLarge(length) && _handle.CanSeek;

    /// <summary>Returns the number of bytes that fit into the block. Ends the current call if it throws.</summary>
    private int RoomNow()
    {
        try
        {
            return _pipeline.Room.Length;
        }
        catch
        {
            Exit();
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

    private ValueTask TakeAndExit(ReadOnlyMemory<byte> bytes)
    {
        try
        {
            // The memory may be a custom implementation that throws.
            _ = Take(bytes.Span);
        }
        catch
        {
            Exit();
            throw;
        }

        return LeaveAsync(isAsync: true);
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
            await LeaveAsync(isAsync: true).ConfigureAwait(false);
        }
    }

    private void Enter()
    {
        int state = Interlocked.CompareExchange(ref _state, Busy, Idle);
        ObjectDisposedException.ThrowIf((state & Disposed) != 0, this);
        if (state != Idle)
        {
            throw new InvalidOperationException("Another call on the writer is in progress.");
        }

        if (_completed)
        {
            Exit();
            throw new InvalidOperationException("The writer has been completed.");
        }

        _lent = 0;
        if (_pipeline.IsFaulted)
        {
            Exit();
            _pipeline.ThrowIfFaulted();
        }
    }

    /// <summary>
    /// Ends the current call. Returns false if the writer was disposed during the call; the caller must then call
    /// <see cref="CloseAfterCallAsync"/>.
    /// </summary>
    private bool TryExit() => Interlocked.CompareExchange(ref _state, Idle, Busy) == Busy;

    private void Exit()
    {
        if (!TryExit())
        {
            WritePipeline.Ended(CloseAfterCallAsync(isAsync: false));
        }
    }

    private ValueTask LeaveAsync(bool isAsync) => TryExit() ? ValueTask.CompletedTask : CloseAfterCallAsync(isAsync);

    /// <summary>Passes all written bytes to the operating system and, optionally, flushes them to the disk.</summary>
    /// <param name="flushToDisk">
    /// <see langword="true"/> to also flush the bytes to the disk (fdatasync(2)), so that they survive a power failure. The default is
    /// <see langword="false"/>.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, bytes that were not passed to the operating system stay in the
    /// writer.
    /// </param>
    /// <exception cref="IOException">
    /// A write or the flush to the disk failed. If a write failed, the message contains the offset.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    public void Flush(bool flushToDisk = false, CancellationToken cancellationToken = default) =>
        WritePipeline.Ended(FlushAsync(isAsync: false, flushToDisk, completes: false, cancellationToken));

    /// <summary>Asynchronously passes all written bytes to the operating system and, optionally, flushes them to the disk.</summary>
    /// <param name="flushToDisk">
    /// <see langword="true"/> to also flush the bytes to the disk (fdatasync(2)), so that they survive a power failure. The default is
    /// <see langword="false"/>.
    /// </param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, bytes that were not passed to the operating system stay in the
    /// writer.
    /// </param>
    /// <returns>
    /// A task that completes when the bytes have been passed to the operating system and, if requested, flushed to the disk.
    /// </returns>
    /// <inheritdoc cref="Flush" path="/exception"/>
    public ValueTask FlushAsync(bool flushToDisk = false, CancellationToken cancellationToken = default) =>
        FlushAsync(isAsync: true, flushToDisk, completes: false, cancellationToken);

    /// <summary>
    /// Writes all remaining bytes and ends writing. With <see cref="FileCaching.Direct"/>, disk space that the writer reserved but did not
    /// use is released. With <see cref="SluiceWriterOptions.FlushToDisk"/>, the data is flushed to the disk.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, the writer is not completed.
    /// </param>
    /// <exception cref="IOException">
    /// A write or the flush to the disk failed. If a write failed, the message contains the offset.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">
    /// The writer has already been completed, or another call is in progress.
    /// </exception>
    /// <exception cref="OperationCanceledException"><paramref name="cancellationToken"/> was canceled.</exception>
    /// <remarks>The writer stays open until <see cref="Dispose"/> is called, but nothing can be written any more.</remarks>
    public void Complete(CancellationToken cancellationToken = default) =>
        WritePipeline.Ended(FlushAsync(isAsync: false, _flushToDisk, completes: true, cancellationToken));

    /// <summary>
    /// Asynchronously writes all remaining bytes and ends writing. With <see cref="FileCaching.Direct"/>, disk space that the writer
    /// reserved but did not use is released. With <see cref="SluiceWriterOptions.FlushToDisk"/>, the data is flushed to the disk.
    /// </summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. After a cancellation, the writer is not completed.
    /// </param>
    /// <returns>A task that completes when the file is complete.</returns>
    /// <inheritdoc cref="Complete" path="/exception"/>
    /// <inheritdoc cref="Complete" path="/remarks"/>
    public ValueTask CompleteAsync(CancellationToken cancellationToken = default) =>
        FlushAsync(isAsync: true, _flushToDisk, completes: true, cancellationToken);

    /// <summary>
    /// Completes the file in the same way as <see cref="Complete"/> and closes the writer. The handle is also closed if the writer owns it.
    /// </summary>
    /// <exception cref="IOException">
    /// A write or the flush to the disk failed, or the operating system reported an error when the file was closed. If a write failed, the
    /// message contains the offset.
    /// </exception>
    /// <remarks>
    /// If the file has already been completed, it is only closed. After a failed write, it is truncated as described for this class. This
    /// method can be called more than once. If another call is in progress, this method returns immediately, and the other call completes
    /// and closes the file.
    /// </remarks>
    public void Dispose()
    {
        GC.SuppressFinalize(this);
        WritePipeline.Ended(EndAsync(isAsync: false));
    }

    /// <summary>
    /// Asynchronously completes the file in the same way as <see cref="CompleteAsync(CancellationToken)"/> and closes the writer. The
    /// handle is also closed if the writer owns it.
    /// </summary>
    /// <returns>A task that completes when the writer is closed.</returns>
    /// <inheritdoc cref="Dispose" path="/exception"/>
    /// <inheritdoc cref="Dispose" path="/remarks"/>
    public ValueTask DisposeAsync()
    {
        GC.SuppressFinalize(this);
        return EndAsync(isAsync: true);
    }

    /// <summary>Discards bytes that were not written, so that <see cref="Dispose"/> does not write them.</summary>
    internal void Abandon(Exception reason) => _pipeline.Abandon(reason);

    private async ValueTask EndAsync(bool isAsync)
    {
        int state = Interlocked.Or(ref _state, Disposed);
        if (state == Idle)
        {
            await CompleteAndCloseAsync(isAsync).ConfigureAwait(false);
        }
        else if (state == Busy)
        {
            // The call in progress closes the writer.
            _pipeline.CancelAwaited();
        }
    }

    private async ValueTask CompleteAndCloseAsync(bool isAsync)
    {
        _pipeline.BeginClosing(isBlockLent: _lent > 0);
        ExceptionDispatchInfo? textError = null;
        try
        {
            if (!_completed && !_pipeline.IsFaulted)
            {
                try
                {
                    await EndTextAsync(isAsync, CancellationToken.None).ConfigureAwait(false);
                }
                catch (Exception e) when (!_pipeline.IsFaulted)
                {
                    // The encoding threw an exception. Everything before is still written.
                    textError = ExceptionDispatchInfo.Capture(e);
                }

                await FlushNowAsync(isAsync, _flushToDisk, completes: true, CancellationToken.None).ConfigureAwait(false);
            }
        }
        finally
        {
            if (_pipeline.IsFaulted)
            {
                await _pipeline.EndTransfersAsync(isAsync).ConfigureAwait(false);
            }

            Close();
        }

        textError?.Throw();
        _pipeline.ThrowProgressError();
    }

    /// <summary>Closes the writer at the end of a call during which it was disposed. The result of the call is discarded.</summary>
    private async ValueTask CloseAfterCallAsync(bool isAsync)
    {
        ObjectDisposedException error = new(nameof(SluiceWriter));
        if (!_handle.CanSeek)
        {
            // The rest is discarded: otherwise, closing would wait for the other end of the pipe again.
            _pipeline.Abandon(error);
        }

        await CompleteAndCloseAsync(isAsync).ConfigureAwait(false);
        _pipeline.ThrowIfFailed();
        throw error;
    }

    private async ValueTask FlushAsync(bool isAsync, bool flushToDisk, bool completes, CancellationToken cancellationToken)
    {
        Enter();
        try
        {
            await FlushNowAsync(isAsync, flushToDisk, completes, cancellationToken).ConfigureAwait(false);
        }
        finally
        {
            await LeaveAsync(isAsync).ConfigureAwait(false);
        }
    }

    private async ValueTask FlushNowAsync(bool isAsync, bool flushToDisk, bool completes, CancellationToken cancellationToken)
    {
        await EndTextAsync(isAsync, cancellationToken).ConfigureAwait(false);
        await _pipeline.FlushAsync(isAsync, cancellationToken).ConfigureAwait(false);
        if (completes)
        {
            _pipeline.Trim();
        }

        if (flushToDisk)
        {
            await _pipeline.FlushToDiskAsync(isAsync, cancellationToken).ConfigureAwait(false);
        }

        _completed = completes;
    }

    private void CloseHandle()
    {
        if (!_ownsHandle)
        {
            return;
        }

        try
        {
            _handle.Dispose();
        }
        catch (IOException) when (_pipeline.IsFaulted)
        {
            // The error of the write has already been thrown, or is being thrown.
        }
    }

    private void Close()
    {
        try
        {
            _pipeline.Close();
            if (_pipeline.IsFaulted)
            {
                _pipeline.Trim();
            }
        }
        catch (Exception e) when (e is IOException or ObjectDisposedException or NotSupportedException)
        {
            // The first error has been thrown. Truncating the file after it is best effort.
        }
        finally
        {
            CloseHandle();
        }
    }

    /// <summary>
    /// Writes text in the encoding of <see cref="SluiceWriterOptions.Encoding"/>. The method may block the calling thread until earlier
    /// writes have completed.
    /// </summary>
    /// <param name="text">The text. A string is converted implicitly. A <see langword="null"/> string is treated as empty.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only when a block is full and must be written.
    /// </param>
    /// <remarks>
    /// <para>
    /// A surrogate pair can be split between two calls. If the second surrogate has not been written when the writer is flushed, completed
    /// or disposed, or when bytes are written, the encoding's fallback applies to the first one.
    /// </para>
    /// <para>
    /// If <see cref="Position"/> is 0 when the first text is written, the preamble of the encoding is written first. After a cancellation,
    /// a part of the text may have been written, but no incomplete character.
    /// </para>
    /// </remarks>
    /// <exception cref="OperationCanceledException">The token was canceled.</exception>
    /// <exception cref="EncoderFallbackException">
    /// The encoding cannot encode this text or could not encode an earlier one. A part of the text may have been written. Every later
    /// call that writes text throws the same exception. Bytes can still be written.
    /// </exception>
    /// <exception cref="IOException">This write or an earlier one failed. The message contains the offset of the failure.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer has been completed, or another call is in progress.</exception>
    public void Write(ReadOnlySpan<char> text, CancellationToken cancellationToken = default) =>
        Write(text, isLine: false, cancellationToken);

    /// <summary>Writes text followed by a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public void WriteLine(ReadOnlySpan<char> text, CancellationToken cancellationToken = default) =>
        Write(text, isLine: true, cancellationToken);

    /// <summary>Writes a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only when a block is full and must be written.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)" path="/exception"/>
    public void WriteLine(CancellationToken cancellationToken = default) => Write([], isLine: true, cancellationToken);

    /// <summary>Asynchronously writes text in the encoding of <see cref="SluiceWriterOptions.Encoding"/>.</summary>
    /// <param name="text">The text. The memory must not be changed until the returned task has completed.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>A task that completes when the text has been copied to the writer or written to the file.</returns>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public ValueTask WriteAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken = default) =>
        WriteAsync(text, isLine: false, cancellationToken);

    /// <summary>Asynchronously writes a string in the encoding of <see cref="SluiceWriterOptions.Encoding"/>.</summary>
    /// <param name="text">The string. The value <see langword="null"/> is treated as an empty string.</param>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>A task that completes when the text has been copied to the writer or written to the file.</returns>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)"/>
    public ValueTask WriteAsync(string? text, CancellationToken cancellationToken = default) =>
        WriteAsync(text.AsMemory(), isLine: false, cancellationToken);

    /// <summary>Asynchronously writes text followed by a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <inheritdoc cref="WriteAsync(ReadOnlyMemory{char}, CancellationToken)"/>
    public ValueTask WriteLineAsync(ReadOnlyMemory<char> text, CancellationToken cancellationToken = default) =>
        WriteAsync(text, isLine: true, cancellationToken);

    /// <summary>Asynchronously writes a string followed by a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <inheritdoc cref="WriteAsync(string?, CancellationToken)"/>
    public ValueTask WriteLineAsync(string? text, CancellationToken cancellationToken = default) =>
        WriteAsync(text.AsMemory(), isLine: true, cancellationToken);

    /// <summary>Asynchronously writes a line terminator (<see cref="SluiceWriterOptions.NewLine"/>).</summary>
    /// <param name="cancellationToken">The token to monitor for cancellation requests.</param>
    /// <returns>A task that completes when the bytes have been copied to the writer or written to the file.</returns>
    /// <inheritdoc cref="Write(ReadOnlySpan{char}, CancellationToken)" path="/exception"/>
    public ValueTask WriteLineAsync(CancellationToken cancellationToken = default) => WriteAsync(default, isLine: true, cancellationToken);

    /// <summary>Gets a value that indicates whether earlier text may still produce bytes, which precede the next ones.</summary>
    private bool IsTextPending => _text is { IsPending: true };

    private void Write(ReadOnlySpan<char> text, bool isLine, CancellationToken cancellationToken)
    {
        Enter();
        try
        {
            if (!TryPutNow(text, isLine))
            {
                PutText(text, isLast: false, cancellationToken);
                if (isLine)
                {
                    PutText(_newLine, isLast: false, cancellationToken);
                }
            }
        }
        finally
        {
            Exit();
        }
    }

    private ValueTask WriteAsync(ReadOnlyMemory<char> text, bool isLine, CancellationToken cancellationToken)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        Enter();
        bool isPut;
        try
        {
            // Memory and encoding may be custom implementations that throw.
            isPut = TryPutNow(text.Span, isLine);
        }
        catch
        {
            Exit();
            throw;
        }

        return isPut ? LeaveAsync(isAsync: true) : WriteSlowAsync(text, isLine, cancellationToken);
    }

    private async ValueTask WriteSlowAsync(ReadOnlyMemory<char> text, bool isLine, CancellationToken cancellationToken)
    {
        try
        {
            await PutTextAsync(text, isLast: false, cancellationToken).ConfigureAwait(false);
            if (isLine)
            {
                await PutTextAsync(_newLine.AsMemory(), isLast: false, cancellationToken).ConfigureAwait(false);
            }
        }
        finally
        {
            await LeaveAsync(isAsync: true).ConfigureAwait(false);
        }
    }

    /// <summary>Encodes all of the text into the block. If it does not fit, changes nothing and returns false.</summary>
    private bool TryPutNow(ReadOnlySpan<char> text, bool isLine)
    {
        TextEncoder encoder = _text ??= new TextEncoder(_encoding, _newLine, isAtStart: Position == 0);
        if (_pipeline.IsFull || !encoder.TryPutWhole(text, isLine, _pipeline.Room.Span, out int written))
        {
            return false;
        }

        _pipeline.Advance(written);
        return true;
    }

    private void PutText(ReadOnlySpan<char> text, bool isLast, CancellationToken cancellationToken)
    {
        do
        {
            if (_pipeline.IsFull)
            {
                WritePipeline.Ended(_pipeline.PushAsync(isAsync: false, cancellationToken));
            }

            text = PutStep(text, isLast);
        }
        while (!IsTextPut(text.Length, isLast));
    }

    private async ValueTask PutTextAsync(ReadOnlyMemory<char> text, bool isLast, CancellationToken cancellationToken)
    {
        do
        {
            if (_pipeline.IsFull)
            {
                await _pipeline.PushAsync(isAsync: true, cancellationToken).ConfigureAwait(false);
            }

            text = text[^PutStep(text.Span, isLast).Length..];
        }
        while (!IsTextPut(text.Length, isLast));
    }

    /// <summary>Encodes a part of the text into the block, which must not be full. Returns the rest of the text.</summary>
    private ReadOnlySpan<char> PutStep(ReadOnlySpan<char> text, bool isLast)
    {
        int written = _text!.Put(text, _pipeline.Room.Span, isLast, out int taken);
        _pipeline.Advance(written);
        return text[taken..];
    }

    private bool IsTextPut(int unitsLeft, bool isLast) =>
        unitsLeft == 0 && (isLast ? !IsTextPending : !_text!.HasCarry);

    /// <summary>Flushes the encoder if it may have stored text, and writes its bytes.</summary>
    private ValueTask EndTextAsync(bool isAsync, CancellationToken cancellationToken)
    {
        if (!IsTextPending)
        {
            return ValueTask.CompletedTask;
        }

        if (isAsync)
        {
            return PutTextAsync(default, isLast: true, cancellationToken);
        }

        PutText([], isLast: true, cancellationToken);
        return ValueTask.CompletedTask;
    }

    /// <summary>Writes fixed-size records. A record has the same layout and byte order in the file as in memory.</summary>
    /// <typeparam name="T">The type of the records.</typeparam>
    /// <param name="records">The records to write. The memory can be changed after this method returns.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteRecords<T>(ReadOnlySpan<T> records, CancellationToken cancellationToken = default)
        where T : unmanaged
    {
        // A span of bytes cannot exceed 2 GiB.
        for (int most = MaxRecords<T>(); records.Length > most; records = records[most..])
        {
            Write(MemoryMarshal.AsBytes(records[..most]), cancellationToken);
        }

        Write(MemoryMarshal.AsBytes(records), cancellationToken);
    }

    /// <summary>Writes a fixed-size record, such as a number or a struct of numbers.</summary>
    /// <typeparam name="T">
    /// The type of the record. It has the same layout and byte order in the file as in memory. On a little-endian processor, numbers have
    /// the format of <see cref="BinaryWriter"/>.
    /// </typeparam>
    /// <param name="record">The record to write.</param>
    /// <param name="cancellationToken">
    /// The token to monitor for cancellation requests. It is checked only if the current block becomes full. If the call is canceled, the
    /// writer may have accepted some or all of the bytes. <see cref="Position"/> is the offset after the accepted bytes.
    /// </param>
    /// <inheritdoc cref="Write(ReadOnlySpan{byte}, CancellationToken)" path="/exception"/>
    public void WriteRecord<T>(in T record, CancellationToken cancellationToken = default)
        where T : unmanaged => Write(MemoryMarshal.AsBytes(new ReadOnlySpan<T>(in record)), cancellationToken);

    /// <summary>Returns the maximum number of records with less than 2 GiB in total.</summary>
    private static int MaxRecords<T>()
        where T : unmanaged => int.MaxValue / Unsafe.SizeOf<T>();
}
