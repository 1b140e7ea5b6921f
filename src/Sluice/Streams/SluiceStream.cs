using Microsoft.Win32.SafeHandles;
using Sluice.Streams;

namespace Sluice;

/// <summary>
/// Stands where <see cref="FileStream"/> would, with the same members, defaults, results and exceptions: a position and a buffer over a
/// <see cref="SluiceHandle"/>. docs/compatibility.md lists the differences.
/// </summary>
/// <remarks>
/// <para>
/// Without a buffer size the buffer sizes itself: 4 KiB at first and after every jump, up to 256 KiB (written: 512 KiB) while the access
/// stays sequential; asynchronous reading then begins the next reads, and asynchronous writing leaves the last buffer to be written, while
/// the caller goes on. A size that is named is kept exactly; 0 and 1 mean no buffer.
/// </para>
/// <para>
/// Not thread-safe, as FileStream. Asynchronous operations on a buffered stream run one after another in the order of their calls.
/// Written bytes may be in memory until <see cref="Flush()"/>, <see cref="FlushAsync(CancellationToken)"/> or disposal; an error
/// in writing them is thrown by the next write, flush or disposal, and the bytes are kept for another try until the stream is closed.
/// </para>
/// </remarks>
public sealed partial class SluiceStream : Stream
{
    private readonly SluiceHandle _handle;
    private readonly HandleOrigin _origin;
    private readonly int _bufferSize;
    private byte _access;

    /// <summary>In <see cref="_access"/>: the stream is being closed, and no copy of another thread is waited for any more.</summary>
    private const byte Closing = 0x80;

    /// <summary>Opens a file for reading and writing (for writing with <see cref="FileMode.Append"/>), shared for reading.</summary>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileMode mode)
        : this(path, mode, mode == FileMode.Append ? FileAccess.Write : FileAccess.ReadWrite)
    {
    }

    /// <summary>Opens a file, shared for reading.</summary>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileMode mode, FileAccess access)
        : this(path, mode, access, FileShare.Read)
    {
    }

    /// <summary>Opens a file.</summary>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share)
        : this(SluiceHandle.Open(path, mode, access, share), mode, access, SluiceOptions.Adaptive)
    {
    }

    /// <summary>Opens a file.</summary>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize)
        : this(path, mode, access, share, bufferSize, FileOptions.None)
    {
    }

    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mode">Which file may be there, and what happens to it.</param>
    /// <param name="access">Reading, writing or both.</param>
    /// <param name="share">What others may do with it meanwhile.</param>
    /// <param name="bufferSize">Bytes of the buffer, kept exactly; 0 and 1 for none.</param>
    /// <param name="useAsync">What <see cref="IsAsync"/> tells; asynchronous members are asynchronous in any case.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize, bool useAsync)
        : this(path, mode, access, share, bufferSize, useAsync ? FileOptions.Asynchronous : FileOptions.None)
    {
    }

    /// <summary>Opens a file.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mode">Which file may be there, and what happens to it.</param>
    /// <param name="access">Reading, writing or both.</param>
    /// <param name="share">What others may do with it meanwhile.</param>
    /// <param name="bufferSize">Bytes of the buffer, kept exactly; 0 and 1 for none.</param>
    /// <param name="options">Further options.</param>
    /// <exception cref="ArgumentException">As FileStream's constructor.</exception>
    /// <exception cref="IOException">As FileStream's constructor.</exception>
    /// <exception cref="UnauthorizedAccessException">As FileStream's constructor.</exception>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize, FileOptions options)
        : this(StreamOpening.Open(path, mode, access, share, bufferSize, options), mode, access, bufferSize)
    {
    }

    /// <summary>Opens a file with .NET's own options; their buffer size, 4096 unless set, is kept exactly.</summary>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileStreamOptions options)
        : this(path, StreamOpening.Copied(path, options))
    {
    }

    /// <summary>Opens a file, and says how its data passes through the page cache.</summary>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A buffer size below 0 that is not <see cref="SluiceOptions.Adaptive"/>.</exception>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, SluiceOptions options)
        : this(StreamOpening.Open(path, options), options.Mode, options.Access, options.BufferSize, options.PreallocationSize)
    {
    }

    /// <summary>Opens a file, and says how its data passes through the page cache; the buffer sizes itself.</summary>
    /// <param name="path">The file.</param>
    /// <param name="mode">Which file may be there, and what happens to it.</param>
    /// <param name="access">Reading, writing or both.</param>
    /// <param name="share">What others may do with it meanwhile.</param>
    /// <param name="caching">
    /// Through the page cache, through it and not left there, or past it. The latter two are for data that is passed once, in large parts:
    /// a stream that goes to and fro, or is flushed a little at a time, is slower with them (<see cref="FileCaching"/>).
    /// </param>
    /// <exception cref="ArgumentOutOfRangeException">An argument is none of its type's values.</exception>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, FileCaching caching)
        : this(path, new SluiceOptions { Mode = mode, Access = access, Share = share, Caching = caching })
    {
    }

    /// <summary>A stream over a handle, which begins at offset 0.</summary>
    /// <param name="handle">An open handle.</param>
    /// <param name="access">What the stream may do with it.</param>
    /// <param name="bufferSize">Bytes of the buffer; 0 and 1 for none; <see cref="SluiceOptions.Adaptive"/>: it sizes itself.</param>
    /// <param name="ownsHandle">Whether disposing the stream closes the handle.</param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="access"/> or <paramref name="bufferSize"/> is none.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public SluiceStream(SluiceHandle handle, FileAccess access, int bufferSize = SluiceOptions.Adaptive, bool ownsHandle = true)
    {
        StreamOpening.Check(handle, access, bufferSize);
        _handle = handle;
        handle.IsWaitedFor = true;
        _origin = ownsHandle ? HandleOrigin.Own : HandleOrigin.Borrowed;
        _bufferSize = bufferSize == 1 ? 0 : bufferSize;
        Access = access;
    }

    /// <inheritdoc cref="SluiceStream(SafeFileHandle, FileAccess, int, bool)"/>
    public SluiceStream(SafeFileHandle handle, FileAccess access)
        : this(StreamOpening.Adopt(handle, access, 0, handle?.IsAsync ?? false), access, SluiceOptions.Adaptive, ownsHandle: true) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <inheritdoc cref="SluiceStream(SafeFileHandle, FileAccess, int, bool)"/>
    public SluiceStream(SafeFileHandle handle, FileAccess access, int bufferSize)
        : this(StreamOpening.Adopt(handle, access, bufferSize, handle?.IsAsync ?? false), access, bufferSize, ownsHandle: true) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <summary>A stream over a handle of the operating system, which begins where the descriptor stands; disposing the stream closes
    /// it.</summary>
    /// <param name="handle">An open handle.</param>
    /// <param name="access">What it was opened for.</param>
    /// <param name="bufferSize">Bytes of the buffer, kept exactly; 0 and 1 for none.</param>
    /// <param name="isAsync">Whether it was opened for asynchronous use.</param>
    /// <exception cref="ArgumentException">As FileStream's constructor.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public SluiceStream(SafeFileHandle handle, FileAccess access, int bufferSize, bool isAsync)
        : this(StreamOpening.Adopt(handle, access, bufferSize, isAsync), access, bufferSize, ownsHandle: true) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    private SluiceStream(SluiceHandle handle, FileMode mode, FileAccess access, int bufferSize, long preallocationSize = 0)
    {
        _handle = handle;
        handle.IsWaitedFor = true;
        _origin = HandleOrigin.Own;
        _bufferSize = bufferSize == 1 ? 0 : bufferSize;
        Access = access;
        if (mode == FileMode.Append && handle.CanSeek)
        {
            Extras.AppendStart = _base = handle.Length;
        }
        else if (preallocationSize > 0)
        {
            // The file has its space already; and ext4 does not write such a file back when it is closed, so neither is it begun here.
            Extras.Reserves = false;
        }
        else if (mode is FileMode.Create or FileMode.Truncate)
        {
            Extras.Writeback = EarlyWriteback.On;
        }
    }

    /// <summary>The file, for members that a stream has not. Buffered bytes are written before it is handed out.</summary>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public SluiceHandle SluiceHandle
    {
        get
        {
            ThrowIfClosed();
            FlushBuffer();
            return _handle;
        }
    }

    /// <summary>The operating system's handle: buffered bytes are written, and its own position is set, before it is handed out. That of a
    /// closed stream is closed, as in FileStream.</summary>
    /// <exception cref="IOException">Buffered bytes could not be written, or the file system refuses the position.</exception>
    public SafeFileHandle SafeFileHandle
    {
        get
        {
            if (HasOpenFile)
            {
                FlushBuffer();
                if (_handle.CanSeek && !_handle.TrySetDescriptorPosition(_base))
                {
                    StreamErrors.ThrowSeekRefused(_handle.Path, _base);
                }
            }

            return _handle.SafeFileHandle;
        }
    }

    /// <summary>Whether the file was opened for asynchronous use.</summary>
    public bool IsAsync => _handle.SafeFileHandle.IsAsync;

    /// <inheritdoc/>
    public override bool CanRead => MayRead && HasOpenFile;

    /// <inheritdoc/>
    public override bool CanWrite => MayWrite && HasOpenFile;

    /// <inheritdoc/>
    public override bool CanSeek => HasOpenFile && _handle.CanSeek;

    /// <summary>The length in bytes, written bytes that are still in memory included. Asked of the file each time: locks on Unix are
    /// advisory, so others may always write.</summary>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override long Length
    {
        get
        {
            ThrowUnlessSeekable();
            return LengthNow();
        }
    }

    /// <summary>Where the next byte is read or written. Setting it makes no system call.</summary>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override long Position
    {
        get
        {
            ThrowUnlessSeekable();
            return _base + _pos;
        }

        set
        {
            ArgumentOutOfRangeException.ThrowIfNegative(value);
            ThrowUnlessSeekable();
            if (_writeEnd != 0 || value < AppendStart)
            {
                Seek(value, SeekOrigin.Begin);
            }
            else
            {
                MoveTo(value);
            }
        }
    }

    /// <summary>Moves the position; the file is only asked for its length, with <see cref="SeekOrigin.End"/>.</summary>
    /// <returns>The new position.</returns>
    /// <exception cref="ArgumentException"><paramref name="origin"/> is none.</exception>
    /// <exception cref="IOException">The target is before the file's start, or before where an append began.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override long Seek(long offset, SeekOrigin origin)
    {
        if (origin is < SeekOrigin.Begin or > SeekOrigin.End)
        {
            throw new ArgumentException("Invalid seek origin.", nameof(origin));
        }

        ThrowUnlessSeekable();
        if (_writeEnd != 0)
        {
            FlushBuffer();
        }

        long target = origin switch
        {
            SeekOrigin.Begin => offset,
            SeekOrigin.Current => _base + _pos + offset,
            _ => LengthNow() + offset,
        };
        if (target < 0)
        {
            StreamErrors.ThrowSeekBeforeStart(_handle.Path, target);
        }

        if (target < AppendStart)
        {
            StreamErrors.ThrowSeekBeforeAppend(_handle.Path, target, AppendStart);
        }

        MoveTo(target);
        return target;
    }

    /// <summary>Cuts or extends the file; a position behind the new end moves to it.</summary>
    /// <param name="value">The new length, in bytes.</param>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="value"/> is negative, or too large for the file system.</exception>
    /// <exception cref="IOException">The disk is full, or the length is before where an append began.</exception>
    /// <exception cref="NotSupportedException">The file cannot seek, or was not opened for writing.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override void SetLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ThrowUnlessSeekable();
        ThrowUnlessWritable();
        FlushBuffer();
        if (value < AppendStart)
        {
            StreamErrors.ThrowTruncateBeforeAppend(_handle.Path, value, AppendStart);
        }

        _handle.SetLength(value);
        if (_base > value)
        {
            MoveTo(value);
        }
    }

    private long AppendStart => _extras?.AppendStart ?? -1;

    private long LengthNow()
    {
        // First what is in memory: another thread that closes the stream may be writing it, and it is in the file when it is here no more.
        long accepted = WriteBehind is { IsPending: true } behind ? behind.End : 0;
        accepted = Volatile.Read(ref _writeEnd) != 0 ? Math.Max(accepted, Volatile.Read(ref _base) + _pos) : accepted;
        return Math.Max(accepted, _handle.LengthNow());
    }

    private bool IsAdaptive => _bufferSize < 0;

    private bool IsBuffered => _bufferSize != 0;

    private bool IsOpen => _access != 0;

    /// <summary>Neither the stream is closed, nor the file under it.</summary>
    private bool HasOpenFile => IsOpen && !_handle.SafeFileHandle.IsClosed;

    /// <summary>What the stream may do; nothing once it is closed. A byte: see decision 0011.</summary>
    private FileAccess Access
    {
        get => (FileAccess)(_access & ~Closing);
        set => _access = (byte)value;
    }

    private bool MayRead => (_access & (byte)FileAccess.Read) != 0;

    private bool MayWrite => (_access & (byte)FileAccess.Write) != 0;

    private void ThrowIfClosed()
    {
        if (!HasOpenFile)
        {
            StreamErrors.ThrowClosed();
        }
    }

    private void ThrowUnlessSeekable()
    {
        ThrowIfClosed();
        if (!_handle.CanSeek)
        {
            StreamErrors.ThrowUnseekable();
        }
    }

    private void ThrowUnlessReadable()
    {
        if (!MayRead)
        {
            ThrowIfClosed();
            StreamErrors.ThrowUnreadable();
        }
    }

    private void ThrowUnlessWritable()
    {
        if (!MayWrite)
        {
            ThrowIfClosed();
            StreamErrors.ThrowUnwritable();
        }
    }
}
