using Microsoft.Win32.SafeHandles;
using Sluice.Errors;
using Sluice.Interop;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>
/// One open file: reads and writes at offsets, without a position. It stands where <see cref="RandomAccess"/> and a
/// <see cref="Microsoft.Win32.SafeHandles.SafeFileHandle"/> would.
/// </summary>
/// <remarks>
/// Thread-safe: any number of transfers may run at once, and <see cref="Dispose"/> may come while they do: the descriptor is closed
/// when the last of them has ended. A buffer given to an asynchronous method belongs to the transfer until its task has ended,
/// cancellation included. Offsets and lengths are in bytes.
/// </remarks>
public sealed partial class SluiceHandle : IDisposable, IAsyncDisposable
{
    private const byte Seeks = 1;
    private const byte SeeksNot = 2;

    // One of these for each open file: fields are as narrow as they may be, and what few handles need is elsewhere.
    private readonly SafeFileHandle _file;
    private readonly string? _path;
    private readonly int _fd;
    private readonly byte _access;
    private readonly bool _ownsHandle;
    private RareHandleState? _rare;
    private WritePace _writePace;
    private byte _caching;
    private byte _flagBits;
    private byte _seeking;
    private bool _readsInline;
    private bool _writesInline;
    private bool _disposed;

    private SluiceHandle(SafeFileHandle file, string? path, FileAccess access, FileCaching caching, IoEngine? engine, bool ownsHandle)
    {
        _file = file;
        _ownsHandle = ownsHandle;
        _path = path;
        _access = (byte)access;
        engine ??= IoEngine.Ambient;
        if (engine is not null)
        {
            _rare = new RareHandleState { Engine = engine };
        }
        else
        {
            // Now and not at the first transfer that needs one: what the handle says of its engine does not change later.
            SluiceEngines.EnsureDecided();
        }

        if (Libc.IsSupported)
        {
            _fd = (int)file.DangerousGetHandle();
        }
        else
        {
            _fd = -1;
        }

        SetCaching(caching);
        _readsInline = Libc.IsSupported && !IsCustomEngine && Alignment.Offset == 1;
        _writesInline = _readsInline;
    }

    /// <summary>The descriptor or handle of the operating system, shared with this object.</summary>
    public SafeFileHandle SafeFileHandle => _file;

    /// <summary>The full path, or a description where the handle came without one.</summary>
    public string Path => _path ?? $"handle {_file.DangerousGetHandle()}";

    /// <summary>What the handle was opened for.</summary>
    public FileAccess Access => (FileAccess)_access;

    /// <summary>Whether the file has offsets; pipes, FIFOs and terminals have none, and ignore those they are given.</summary>
    public bool CanSeek => _seeking == 0 ? FindOutSeeking() : _seeking == Seeks;

    /// <summary>The caching that took effect.</summary>
    public FileCaching Caching
    {
        get => (FileCaching)_caching;
        private set => _caching = (byte)value;
    }

    /// <summary>Why <see cref="Caching"/> differs from what was asked; null when it does not.</summary>
    public string? CachingReason => _rare?.CachingReason;

    /// <summary>What transfers should be aligned to; they work unaligned too, with a copy.</summary>
    public FileAlignment Alignment => _rare?.Alignment ?? FileAlignment.None;

    /// <summary>The engine of this handle's asynchronous transfers: "uring", "pool", or a decorator's name.</summary>
    public string Engine => EngineInUse.Name;

    /// <summary>Why <see cref="Engine"/> is not "uring"; null where it is, or where an engine was asked for.</summary>
    public string? EngineReason => IsCustomEngine ? null : SluiceEngines.UringReason;

    /// <summary>The length of the file, in bytes.</summary>
    /// <exception cref="NotSupportedException">The file cannot seek.</exception>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    public long Length
    {
        get
        {
            ThrowIfClosed();
            if (!CanSeek)
            {
                IoErrors.ThrowUnseekable("The length of", Path);
            }

            return LengthNow();
        }
    }

    /// <summary>As <see cref="Length"/>, of a file that is known to seek.</summary>
    internal long LengthNow()
    {
        bool added = false;
        try
        {
            _file.DangerousAddRef(ref added);
            if (Libc.IsSupported && Libc.LengthOf(_fd) is >= 0 and long length)
            {
                return length;
            }
        }
        finally
        {
            if (added)
            {
                _file.DangerousRelease();
            }
        }

        // Where Sluice makes no system calls, and for the exception.
        return RandomAccess.GetLength(_file);
    }

    /// <summary>Whether the handle can be used no more.</summary>
    internal bool IsClosed => _disposed || _file.IsClosed;

    /// <summary>The operating system's own position of the file, which no transfer of Sluice uses or moves; 0 where it has none.</summary>
    internal long DescriptorPosition => Libc.IsSupported ? Math.Max(0, Libc.Position(_fd)) : BorrowedStream.PositionOf(_file, Access);

    /// <summary>Moves <see cref="DescriptorPosition"/>; false where the operating system refuses the place.</summary>
    internal bool TrySetDescriptorPosition(long position)
    {
        if (Libc.IsSupported)
        {
            return Libc.SetPosition(_fd, position);
        }

        BorrowedStream.SetPosition(_file, Access, position);
        return true;
    }

    internal IoEngine EngineInUse => _rare?.Engine ?? SluiceEngines.ForDescriptor(_fd);

    private bool IsCustomEngine => _rare?.Engine is not null;

    internal int Descriptor => _fd;

    /// <summary>Known after the first read that came back short: /dev/zero and its kind cut reads that may not wait wherever they like.</summary>
    internal bool IsCharacterDevice => _rare is { IsCharacterDevice: true };

    internal RwFlags TransferFlags => Flags;

    internal ref WritePace WritePace => ref _writePace;

    private RwFlags Flags
    {
        get => (RwFlags)_flagBits;
        set => _flagBits = (byte)value;
    }

    private RareHandleState Rare =>
        _rare ?? Interlocked.CompareExchange(ref _rare, new RareHandleState(), null) ?? _rare;

    /// <summary>
    /// The most that one system call is asked to transfer: the kernel's MAX_RW_COUNT, rounded down to a large alignment. Small in
    /// Debug builds, so that every test walks the rest of partial transfers.
    /// </summary>
#if DEBUG
    internal const int MostBytesPerTransfer = 48 * 1024;
#else
    internal const int MostBytesPerTransfer = 0x7FF0_0000;
#endif

    /// <summary>Closes the handle; transfers in flight end first, on their own. Harmless when called twice.</summary>
    public void Dispose()
    {
        if (Interlocked.Exchange(ref _disposed, true))
        {
            return;
        }

        LeaveGate();
        _rare?.AppendTarget?.Dispose();
        if (_ownsHandle)
        {
            _file.Dispose();
        }
    }

    /// <summary>Closes the handle, as <see cref="Dispose"/>.</summary>
    public ValueTask DisposeAsync()
    {
        Dispose();
        return ValueTask.CompletedTask;
    }

    /// <summary>Keeps the descriptor, and a direct file's gate, until <see cref="ReleaseReference"/>, whoever disposes this object meanwhile.</summary>
    internal void AddReference(ref bool added)
    {
        ThrowIfClosed();
        Hold(ref added);
    }

    /// <summary>As <see cref="AddReference"/>, where the caller has just looked whether the handle is closed.</summary>
    private void Hold(ref bool added)
    {
        if (DirectGate is null)
        {
            _file.DangerousAddRef(ref added);
        }
        else
        {
            HoldDirect(ref added);
        }
    }

    private void HoldDirect(ref bool added)
    {
        if (!TryKeepGate())
        {
            IoErrors.ThrowClosed(Path);
        }

        try
        {
            _file.DangerousAddRef(ref added);
        }
        finally
        {
            if (!added)
            {
                LeaveGate();
            }
        }
    }

    internal void ReleaseReference()
    {
        _file.DangerousRelease();
        LeaveGate();
    }

    /// <summary>
    /// Whether <paramref name="offset"/> is at or behind the end of file; true where the file has no length of its own, and false on a
    /// block device, whose end only a read of 0 bytes tells.
    /// </summary>
    internal bool IsAtEnd(long offset)
    {
        if (!Libc.IsSupported)
        {
            return !CanSeek || offset >= RandomAccess.GetLength(_file);
        }

        // By the cheaper call where that tells: devices, pipes and files of /proc have a length of 0.
        if (Libc.LengthOf(_fd) is > 0 and long length)
        {
            return offset >= length;
        }

        if (Libc.Stat(_fd, StatxMask.Size | StatxMask.Type, out Statx stat) != 0)
        {
            return true;
        }

        return IsAtEnd(offset, in stat);
    }

    private static bool IsAtEnd(long offset, in Statx stat)
    {
        int type = stat.Mode & Statx.TypeMask;
        return type != Statx.TypeBlockDevice && (type != Statx.TypeRegular || offset >= (long)stat.Size);
    }

    /// <summary>
    /// As <see cref="IsAtEnd(long)"/>, after a read that might not wait came back short: false on a character device, which is read by blocking
    /// calls from here on.
    /// </summary>
    private bool IsShortAtEnd(long offset)
    {
        if (Libc.Stat(_fd, StatxMask.Size | StatxMask.Type, out Statx stat) != 0)
        {
            return true;
        }

        if ((stat.Mode & Statx.TypeMask) == Statx.TypeCharacterDevice)
        {
            Rare.IsCharacterDevice = true;
            _readsInline = false;
            return false;
        }

        bool isAtEnd = IsAtEnd(offset, in stat);
        _endSeen = isAtEnd ? offset : -1;
        return isAtEnd;
    }

    /// <summary>Asked at the first use, not at opening: most handles learn it from their first transfer's need.</summary>
    private bool FindOutSeeking()
    {
        bool seeks = Libc.IsSupported ? Libc.Position(_fd) >= 0 : SeeksPortably(_file);
        _seeking = seeks ? Seeks : SeeksNot;
        return seeks;
    }

    private static bool SeeksPortably(SafeFileHandle file)
    {
        try
        {
            _ = RandomAccess.GetLength(file);
            return true;
        }
        catch (NotSupportedException)
        {
            return false;
        }
    }

    private void ThrowIfClosed()
    {
        if (IsClosed)
        {
            IoErrors.ThrowClosed(Path);
        }
    }

    private void CheckOffset(long fileOffset)
    {
        ThrowIfClosed();
        if (fileOffset < 0 && CanSeek)
        {
            IoErrors.ThrowNegativeOffset();
        }
    }
}
