using System.Buffers;
using Sluice.Sequential;

namespace Sluice;

/// <summary>
/// Writes a file from front to back: bytes are gathered in blocks, and direct blocks are kept in flight, as large and as many as make this
/// device faster. As an <see cref="IBufferWriter{T}"/> it lends its blocks, so that nothing is copied.
/// </summary>
/// <remarks>
/// <para>What has reached whom: a write that has returned is in the writer, or with the operating system. <see cref="Flush"/> returns when
/// the operating system has everything, exact to the byte; with <c>flushToDisk</c> the device has it. <see cref="Complete"/> flushes, gives
/// back the space that was reserved ahead and, with <see cref="SluiceWriterOptions.FlushToDisk"/>, makes the data durable.
/// <see cref="Dispose"/> completes first, and throws what goes wrong. A writer that is dropped without being disposed loses what it had
/// gathered.</para>
/// <para>While a direct writer is open its file may be longer than what was written, by zeros that were reserved; it is exact after
/// <see cref="Complete"/>. A cached writer's file is never longer than what was written. An error is final: it names the offset,
/// every later call throws it again, and disposing cuts the file where the block that failed begins, though never before what was flushed,
/// so that no gap stays behind it. So is an error of the device while it is being flushed to: it names no offset, since what the device
/// has lost is not known, and nothing is cut. A file that others have made longer meanwhile is not cut, and keeps a direct writer's
/// zeros.</para>
/// <para>One call at a time, from any thread. <see cref="Dispose"/> may come beside a running call: that call completes the file and closes
/// it when what it waits for has ended, and throws an <see cref="ObjectDisposedException"/>, as every later call does;
/// <see cref="Position"/> tells how many bytes were taken. On a pipe, what is awaited is given up then, and no further write is begun; a
/// write that a thread makes (a synchronous one, and each where there is no ring) ends when the other end takes its bytes or goes.</para>
/// <para>A token ends the wait alone: on a pipe too, what the writer has taken goes out, once, before whatever is written next.</para>
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

    /// <summary>Creates a file, or opens one as <see cref="SluiceWriterOptions.Mode"/> says.</summary>
    /// <param name="path">The file.</param>
    /// <param name="options">How to write; null for a new cached file.</param>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <exception cref="IOException">
    /// Among others: the disk has no room for <see cref="SluiceWriterOptions.PreallocationSize"/>.
    /// </exception>
    public SluiceWriter(string path, SluiceWriterOptions? options = null)
        : this(Open(path, options ??= new SluiceWriterOptions()), options, ownsHandle: true, isOpenedHere: true)
    {
    }

    /// <summary>Writes into an open file. Its position, where it has one, stays as it is.</summary>
    /// <param name="handle">The file; others may read it at the same time, and write elsewhere than behind this writer's position.</param>
    /// <param name="options">How to write; null for the defaults.</param>
    /// <param name="ownsHandle">Whether disposing the writer closes the file.</param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is null.</exception>
    /// <exception cref="ArgumentException">The handle was not opened for writing.</exception>
    /// <exception cref="ArgumentOutOfRangeException">An option is out of its range.</exception>
    /// <remarks>Where this throws, the handle stays open, and the caller's.</remarks>
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
        _ownsHandle = ownsHandle;
        _flushToDisk = options.FlushToDisk;
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

    /// <summary>The file.</summary>
    public SluiceHandle SluiceHandle => _handle;

    /// <summary>Where the next byte goes, in bytes from the start of the file; on a pipe, bytes so far.</summary>
    public long Position => _pipeline.Position;

    /// <summary>Writes in flight at most, at this moment.</summary>
    public int Depth => _pipeline.Depth;

    /// <summary>Bytes of one write, at this moment.</summary>
    public int RequestSize => _pipeline.RequestSizeBytes;

    internal bool IsDisposed => IsClosing;

    /// <summary>Takes bytes over; blocks while as many writes are in flight as the device can use.</summary>
    /// <param name="bytes">The bytes; copied, or written, when this returns.</param>
    /// <param name="cancellationToken">Looked at before each block; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <exception cref="IOException">This or an earlier write failed; the message tells at which offset.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer is complete, or another call is running.</exception>
    public void Write(ReadOnlySpan<byte> bytes, CancellationToken cancellationToken = default)
    {
        Enter();
        try
        {
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

    /// <summary>As <see cref="Write"/>, without blocking the caller.</summary>
    /// <param name="bytes">The bytes; the caller's again when the task has ended.</param>
    /// <param name="cancellationToken">Ends the wait for room; <see cref="Position"/> then tells how many bytes were taken.</param>
    /// <exception cref="OperationCanceledException">The wait was cancelled.</exception>
    public ValueTask WriteAsync(ReadOnlyMemory<byte> bytes, CancellationToken cancellationToken = default)
    {
        if (cancellationToken.IsCancellationRequested)
        {
            return ValueTask.FromCanceled(cancellationToken);
        }

        Enter();
        return !_pipeline.IsFull && !IsWrittenThrough(bytes.Length) && bytes.Length < RoomNow()
            ? TakeAndLeave(bytes)
            : WriteSlowAsync(bytes, cancellationToken);
    }

    /// <summary>
    /// Room for at least so many bytes, in a block where it has that many; <see cref="Advance"/> says how many were used. Blocks while as
    /// many writes are in flight as the device can use, and cannot be cancelled.
    /// </summary>
    /// <param name="sizeHint">How many bytes at least; 0 for what there is.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="sizeHint"/> is negative.</exception>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer is complete, or another call is running.</exception>
    public Memory<byte> GetMemory(int sizeHint = 0)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(sizeHint);
        Enter();
        try
        {
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

    /// <inheritdoc cref="GetMemory"/>
    public Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    /// <summary>
    /// Takes over the first bytes of what <see cref="GetMemory"/> or <see cref="GetSpan"/> lent. Where that was no block, because more was
    /// asked for than it has room for, they are written as by <see cref="Write"/>, which may block.
    /// </summary>
    /// <param name="count">How many.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative, or more than was lent.</exception>
    /// <exception cref="IOException">A write failed; the message tells at which offset.</exception>
    /// <exception cref="ObjectDisposedException">The writer is closed.</exception>
    /// <exception cref="InvalidOperationException">The writer is complete, or another call is running.</exception>
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
