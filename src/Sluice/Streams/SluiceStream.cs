using Microsoft.Win32.SafeHandles;
using Sluice.Streams;

namespace Sluice;

/// <summary>
/// Represents a buffered stream over a file. It has the same members, defaults, results and exceptions as <see cref="FileStream"/>.
/// </summary>
/// <remarks>
/// <para>The file docs/compatibility.md of the project lists the differences from <see cref="FileStream"/>.</para>
/// <para>
/// If no buffer size is specified, the stream adapts the size of its buffer. The buffer has 4 KiB at first and after each change of
/// position. During sequential access it grows to 64 KiB, or with <see cref="FileCaching.Direct"/> to 256 KiB for reads and 512 KiB for
/// writes. Asynchronous reads then also read ahead.
/// </para>
/// <para>A specified buffer size is used exactly; 0 and 1 turn buffering off.</para>
/// <para>
/// Written bytes can stay in memory until <see cref="Flush()"/>, <see cref="FlushAsync(CancellationToken)"/> or the disposal of the stream.
/// If writing them fails, the next write, flush or disposal throws the exception. Until the stream is closed, the bytes are kept, and the
/// next such call writes them again.
/// </para>
/// <para>
/// This type is not thread-safe. Asynchronous operations on a buffered stream are performed one after another, in the order of the calls.
/// </para>
/// </remarks>
public sealed partial class SluiceStream : Stream
{
    private readonly SluiceHandle _handle;
    private readonly HandleOrigin _origin;
    private readonly int _bufferSize;
    private readonly long _appendStart = -1;

    /// <summary>The access that the stream offers; none if it is closed.</summary>
    private FileAccess _access;

    /// <summary>
    /// Opens a file for reading and writing, or only for writing if the mode is <see cref="FileMode.Append"/>. Others may read the file.
    /// The buffer size is <see cref="SluiceOptions.Adaptive"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileMode mode)
        : this(path, mode, mode == FileMode.Append ? FileAccess.Write : FileAccess.ReadWrite)
    {
    }

    /// <summary>
    /// Opens a file with the specified access. Others may read the file. The buffer size is <see cref="SluiceOptions.Adaptive"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <param name="access">The access for which the file is opened.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileMode mode, FileAccess access)
        : this(path, mode, access, FileShare.Read)
    {
    }

    /// <summary>Opens a file with the specified access and sharing. The buffer size is <see cref="SluiceOptions.Adaptive"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <param name="access">The access for which the file is opened.</param>
    /// <param name="share">The access that others may have to the file while it is open. On Unix this is an advisory lock.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share)
        : this(SluiceHandle.Open(path, mode, access, share), mode, access, SluiceOptions.Adaptive)
    {
    }

    /// <summary>Opens a file with the specified access, sharing and buffer size.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <param name="access">The access for which the file is opened.</param>
    /// <param name="share">The access that others may have to the file while it is open. On Unix this is an advisory lock.</param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize)
        : this(path, mode, access, share, bufferSize, FileOptions.None)
    {
    }

    /// <summary>Opens a file with the specified access, sharing, buffer size and value of <see cref="IsAsync"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <param name="access">The access for which the file is opened.</param>
    /// <param name="share">The access that others may have to the file while it is open. On Unix this is an advisory lock.</param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <param name="useAsync">The value of <see cref="IsAsync"/>. It does not change the behavior of the stream's methods.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize, bool useAsync)
        : this(path, mode, access, share, bufferSize, useAsync ? FileOptions.Asynchronous : FileOptions.None)
    {
    }

    /// <summary>Opens a file with the specified access, sharing, buffer size and additional options.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <param name="access">The access for which the file is opened.</param>
    /// <param name="share">The access that others may have to the file while it is open. On Unix this is an advisory lock.</param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <param name="options">Additional options.</param>
    /// <exception cref="ArgumentNullException">An argument is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentException">The path is empty, or the arguments contradict each other.</exception>
    /// <exception cref="ArgumentOutOfRangeException">A number is negative, or an enumeration argument has an undefined value.</exception>
    /// <exception cref="FileNotFoundException">The file does not exist, and the mode requires an existing file.</exception>
    /// <exception cref="DirectoryNotFoundException">A directory of the path does not exist.</exception>
    /// <exception cref="UnauthorizedAccessException">The path is a directory, or the operating system denies the access.</exception>
    /// <exception cref="PathTooLongException">The path is longer than the operating system allows.</exception>
    /// <exception cref="IOException">
    /// The file exists and the mode is <see cref="FileMode.CreateNew"/>; or another program has opened the file and does not share it; or
    /// there is not enough disk space for the preallocation size; or the operating system reported another error.
    /// </exception>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, int bufferSize, FileOptions options)
        : this(StreamOpening.Open(path, mode, access, share, bufferSize, options), mode, access, bufferSize)
    {
    }

    /// <summary>Opens a file with the specified <see cref="FileStreamOptions"/>.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options. Their buffer size, which is 4096 bytes by default, is used exactly.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileStreamOptions options)
        : this(path, StreamOpening.Copied(path, options))
    {
    }

    /// <summary>Opens a file with the specified <see cref="SluiceOptions"/>, which include the caching mode.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="options">The options. Their buffer size is <see cref="SluiceOptions.Adaptive"/> by default.</param>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, SluiceOptions options)
        : this(StreamOpening.Open(path, options), options.Mode, options.Access, options.BufferSize)
    {
    }

    /// <summary>
    /// Opens a file with the specified access, sharing and caching mode. The buffer size is <see cref="SluiceOptions.Adaptive"/>.
    /// </summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="mode">The mode that determines whether the file is opened, created or truncated.</param>
    /// <param name="access">The access for which the file is opened.</param>
    /// <param name="share">The access that others may have to the file while it is open. On Unix this is an advisory lock.</param>
    /// <param name="caching">
    /// The caching mode. Modes other than <see cref="FileCaching.Cached"/> are intended for data that is read or written once, in large
    /// transfers. With these modes, frequent flushes and changes of position are slow.
    /// </param>
    /// <remarks>
    /// If the file does not support <paramref name="caching"/>, it is opened with another mode. <see cref="OpenFile.Caching"/> of
    /// <see cref="SluiceHandle"/> contains the mode in effect.
    /// </remarks>
    /// <inheritdoc cref="SluiceStream(string, FileMode, FileAccess, FileShare, int, FileOptions)" path="/exception"/>
    public SluiceStream(string path, FileMode mode, FileAccess access, FileShare share, FileCaching caching)
        : this(path, new SluiceOptions { Mode = mode, Access = access, Share = share, Caching = caching })
    {
    }

    /// <summary>Creates a stream over an open file. The stream starts at offset 0.</summary>
    /// <param name="handle">The open file.</param>
    /// <param name="access">The access that the stream offers.</param>
    /// <param name="bufferSize">
    /// The size of the buffer, in bytes. 0 and 1 turn buffering off. The default is <see cref="SluiceOptions.Adaptive"/>.
    /// </param>
    /// <param name="ownsHandle">
    /// <see langword="true"/>, the default, to close the handle when the stream is disposed; <see langword="false"/> to leave it open.
    /// </param>
    /// <exception cref="ArgumentNullException"><paramref name="handle"/> is <see langword="null"/>.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="access"/> has an undefined value; or <paramref name="bufferSize"/> is negative, but not
    /// <see cref="SluiceOptions.Adaptive"/>.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public SluiceStream(SluiceHandle handle, FileAccess access, int bufferSize = SluiceOptions.Adaptive, bool ownsHandle = true)
    {
        StreamOpening.Check(handle, access, bufferSize);
        _handle = handle;
        _origin = ownsHandle ? HandleOrigin.Own : HandleOrigin.Borrowed;
        _bufferSize = bufferSize == 1 ? 0 : bufferSize;
        _access = access;
    }

    /// <summary>
    /// Creates a stream over an operating system handle. The stream starts at the current position of the handle. The buffer size is
    /// <see cref="SluiceOptions.Adaptive"/>.
    /// </summary>
    /// <param name="handle">The open handle. Disposing the stream closes it.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <exception cref="ArgumentException"><paramref name="handle"/> is invalid.</exception>
    /// <exception cref="ArgumentOutOfRangeException"><paramref name="access"/> has an undefined value.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public SluiceStream(SafeFileHandle handle, FileAccess access)
        : this(StreamOpening.Adopt(handle, access, 0), access, SluiceOptions.Adaptive, ownsHandle: true) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <summary>
    /// Creates a stream over an operating system handle, with the specified buffer size. It starts at the current position of the handle.
    /// </summary>
    /// <param name="handle">The open handle. Disposing the stream closes it.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <exception cref="ArgumentException"><paramref name="handle"/> is invalid.</exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="access"/> has an undefined value, or <paramref name="bufferSize"/> is negative.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public SluiceStream(SafeFileHandle handle, FileAccess access, int bufferSize)
        : this(StreamOpening.Adopt(handle, access, bufferSize), access, bufferSize, ownsHandle: true) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    /// <summary>
    /// Creates a stream over an operating system handle, with the specified buffer size. It starts at the current position of the handle.
    /// </summary>
    /// <param name="handle">The open handle. Disposing the stream closes it.</param>
    /// <param name="access">The access for which the handle was opened.</param>
    /// <param name="bufferSize">The size of the buffer, in bytes. 0 and 1 turn buffering off.</param>
    /// <param name="isAsync">
    /// <see langword="true"/> if the handle was opened for asynchronous use; otherwise, <see langword="false"/>.
    /// </param>
    /// <exception cref="ArgumentException">
    /// <paramref name="handle"/> is invalid, or <paramref name="isAsync"/> does not match the way in which it was opened.
    /// </exception>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="access"/> has an undefined value, or <paramref name="bufferSize"/> is negative.
    /// </exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public SluiceStream(SafeFileHandle handle, FileAccess access, int bufferSize, bool isAsync)
        : this(StreamOpening.Adopt(handle, access, bufferSize, isAsync), access, bufferSize, ownsHandle: true) =>
        (_origin, _base) = (HandleOrigin.Foreign, _handle.DescriptorPosition);

    private SluiceStream(SluiceHandle handle, FileMode mode, FileAccess access, int bufferSize)
    {
        _handle = handle;
        _origin = HandleOrigin.Own;
        _bufferSize = bufferSize == 1 ? 0 : bufferSize;
        _access = access;
        if (mode == FileMode.Append && handle.CanSeek)
        {
            _appendStart = _base = handle.Length;
        }
    }

    /// <summary>Gets the handle of the file that the stream reads and writes.</summary>
    /// <remarks>
    /// Buffered bytes are written before the property returns. Through the handle, the program can use operations that the stream does not
    /// have, such as <see cref="Sluice.SluiceHandle.Append"/> and <see cref="Sluice.SluiceHandle.FlushDataToDisk"/>.
    /// </remarks>
    /// <exception cref="IOException">The buffered bytes could not be written.</exception>
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

    /// <summary>Gets the operating system handle of the file.</summary>
    /// <remarks>
    /// Before the property returns, buffered bytes are written and the position of the handle is set to the position of the stream. If the
    /// stream is closed, the handle is closed too, as with <see cref="FileStream"/>.
    /// </remarks>
    /// <exception cref="IOException">The buffered bytes could not be written, or the position of the handle could not be set.</exception>
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

    /// <summary>Gets a value that indicates whether the file was opened for asynchronous use.</summary>
    /// <remarks>
    /// This value does not change the behavior of the stream's methods. As with <see cref="FileStream.IsAsync"/>, it is always
    /// <see langword="false"/> for regular files on Unix from .NET 11 on.
    /// </remarks>
    public bool IsAsync => _handle.SafeFileHandle.IsAsync;

    /// <summary>
    /// Gets a value that indicates whether the stream supports reading. It is <see langword="false"/> when the stream is closed.
    /// </summary>
    public override bool CanRead => MayRead && HasOpenFile;

    /// <summary>
    /// Gets a value that indicates whether the stream supports writing. It is <see langword="false"/> when the stream is closed.
    /// </summary>
    public override bool CanWrite => MayWrite && HasOpenFile;

    /// <summary>
    /// Gets a value that indicates whether the file can seek. It is <see langword="false"/> for pipes, FIFOs, sockets and terminals, and
    /// when the stream is closed.
    /// </summary>
    public override bool CanSeek => HasOpenFile && _handle.CanSeek;

    /// <summary>Gets the length of the file, in bytes. It includes written bytes that are still in the buffer.</summary>
    /// <remarks>Each call asks the operating system, because other programs may change the file.</remarks>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    public override long Length
    {
        get
        {
            ThrowUnlessSeekable();
            return LengthNow();
        }
    }

    /// <summary>Gets or sets the offset in the file at which the next byte is read or written, in bytes.</summary>
    /// <remarks>
    /// When the position is set, buffered bytes are written first. If there are no buffered bytes, no system call is made.
    /// </remarks>
    /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
    /// <exception cref="IOException">
    /// The file was opened with <see cref="FileMode.Append"/>, and the value is less than the length that the file had when it was opened;
    /// or the buffered bytes could not be written.
    /// </exception>
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
            if (_writeEnd != 0 || value < _appendStart)
            {
                Seek(value, SeekOrigin.Begin);
            }
            else
            {
                MoveTo(value);
            }
        }
    }

    /// <summary>Sets the position of the stream.</summary>
    /// <param name="offset">The new position, relative to <paramref name="origin"/>, in bytes.</param>
    /// <param name="origin">The point to which <paramref name="offset"/> is relative.</param>
    /// <returns>The new position in the file, in bytes.</returns>
    /// <remarks>
    /// Buffered bytes are written first. If there are none, the method makes a system call only with <see cref="SeekOrigin.End"/>.
    /// </remarks>
    /// <exception cref="ArgumentException"><paramref name="origin"/> has an undefined value.</exception>
    /// <exception cref="IOException">
    /// The new position is before the start of the file; or the file was opened with <see cref="FileMode.Append"/>, and the new position is
    /// less than the length that the file had when it was opened; or the buffered bytes could not be written.
    /// </exception>
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

        if (target < _appendStart)
        {
            StreamErrors.ThrowSeekBeforeAppend(_handle.Path, target, _appendStart);
        }

        MoveTo(target);
        return target;
    }

    /// <summary>Sets the length of the file.</summary>
    /// <param name="value">The new length, in bytes.</param>
    /// <remarks>Buffered bytes are written first. If the position is beyond the new end of the file, it is set to the new end.</remarks>
    /// <exception cref="ArgumentOutOfRangeException">
    /// <paramref name="value"/> is negative, or larger than the file system allows.
    /// </exception>
    /// <exception cref="IOException">
    /// The file was opened with <see cref="FileMode.Append"/>, and <paramref name="value"/> is less than the length that the file had when
    /// it was opened; or the buffered bytes could not be written; or the operating system reported another error.
    /// </exception>
    /// <exception cref="NotSupportedException">The file cannot seek, or the stream does not support writing.</exception>
    /// <exception cref="ObjectDisposedException">The stream is closed.</exception>
    public override void SetLength(long value)
    {
        ArgumentOutOfRangeException.ThrowIfNegative(value);
        ThrowUnlessSeekable();
        ThrowUnlessWritable();
        FlushBuffer();
        if (value < _appendStart)
        {
            StreamErrors.ThrowTruncateBeforeAppend(_handle.Path, value, _appendStart);
        }

        _handle.SetLength(value);
        if (_base > value)
        {
            MoveTo(value);
        }
    }

    private long LengthNow() => Math.Max(_writeEnd != 0 ? _base + _pos : 0, _handle.LengthNow());

    private bool IsAdaptive => _bufferSize < 0;

    private bool IsBuffered => _bufferSize != 0;

    private bool IsOpen => _access != 0;

    /// <summary>Returns true if neither the stream nor its file is closed.</summary>
    private bool HasOpenFile => IsOpen && !_handle.SafeFileHandle.IsClosed;

    private bool MayRead => (_access & FileAccess.Read) != 0;

    private bool MayWrite => (_access & FileAccess.Write) != 0;

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
