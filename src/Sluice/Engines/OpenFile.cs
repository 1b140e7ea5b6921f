using System.Diagnostics;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Microsoft.Win32.SafeHandles;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

/// <summary>Represents an open file: its operating system handle, its caching mode and its engine.</summary>
/// <remarks>
/// <para><see cref="SluiceHandle"/> is the only class that derives from this class. Other code cannot derive from it.</para>
/// <para>This type is thread-safe.</para>
/// </remarks>
public abstract partial class OpenFile
{
    private const byte Seeks = 1;
    private const byte SeeksNot = 2;
    private const byte WaitsToBegin = 4;
    private const byte BeginsAtOnce = 8;

    /// <summary>Beside the bits of <see cref="FileAccess"/>.</summary>
    private const byte OwnOffsets = 8;

    // One of these for each open file: fields are as narrow as they may be, and what few files need is elsewhere.
    private protected readonly SafeFileHandle _file;
    private protected readonly string? _path;
    private protected readonly int _fd;
    private byte _access;
    private protected OpenFileExtras? _extras;
    private StorageDevice? _device;
    private byte _slowWrites;
    private byte _caching;
    private byte _flagBits;

    /// <summary>What has been found out. Where two threads set a bit at once one may be lost, and is found out once more.</summary>
    private byte _found;
    private protected bool _disposed;

    private protected OpenFile(SafeFileHandle file, string? path, FileAccess access, FileCaching caching, IoEngine? engine)
    {
        _file = file;
        _path = path;
        _access = (byte)access;
        engine ??= IoEngine.Ambient;
        if (engine is not null)
        {
            _extras = new OpenFileExtras { Engine = engine };
        }

        _fd = Libc.IsSupported ? (int)file.DangerousGetHandle() : -1;
        SluiceMeter.Offer();
        SetCaching(caching);
    }

    /// <summary>Gets the operating system handle of the file.</summary>
    /// <remarks>The handle is not duplicated. Disposing it closes the file for this object too.</remarks>
    public SafeFileHandle SafeFileHandle => _file;

    /// <summary>Gets the full path of the file.</summary>
    /// <value>
    /// The full path. If the object was created from an operating system handle, the value is <c>handle</c> followed by the number of that
    /// handle.
    /// </value>
    public string Path => _path ?? $"handle {_file.DangerousGetHandle()}";

    /// <summary>Gets the access for which the file was opened.</summary>
    public FileAccess Access => (FileAccess)_access & FileAccess.ReadWrite;

    /// <summary>Gets a value that indicates whether the file supports offsets.</summary>
    /// <value>
    /// <see langword="true"/> if the file supports offsets; <see langword="false"/> for pipes, FIFOs, sockets and terminals, for which
    /// transfers ignore the offset.
    /// </value>
    /// <exception cref="ObjectDisposedException">The handle is closed, and this property was not read before.</exception>
    public bool CanSeek => _found is var found && (found & (Seeks | SeeksNot)) == 0 ? FindOutSeeking() : (found & Seeks) != 0;

    /// <summary>
    /// Gets the name of the engine that performs the asynchronous transfers of this handle: <c>uring</c>, <c>pool</c>, or the name of an
    /// <see cref="InterceptingEngine"/>.
    /// </summary>
    /// <remarks>
    /// Reading this property initializes io_uring if that has not been done yet. If the kernel later refuses io_uring, the value changes to
    /// <c>pool</c>.
    /// </remarks>
    public string EngineName
    {
        get
        {
            if (!IsCustomEngine)
            {
                SluiceEngines.Start();
            }

            return EngineInUse.Name;
        }
    }

    /// <summary>
    /// Gets a one-line explanation of why <see cref="EngineName"/> is not <c>uring</c>, or of why the setting that selects the engine is
    /// invalid.
    /// </summary>
    /// <value>
    /// The explanation; or <see langword="null"/> if io_uring is used and the setting is valid, or if an <see cref="IoEngine"/> was
    /// specified for this file (<see cref="SluiceOptions.Engine"/>).
    /// </value>
    /// <remarks>Reading this property initializes io_uring if that has not been done yet.</remarks>
    public string? EngineReason => IsCustomEngine ? null : SluiceEngines.UringReason ?? SluiceEngines.SettingsNote;

    /// <summary>
    /// Gets a one-line description of the number of io_uring instances (rings) of the process, and of why there are that many.
    /// </summary>
    /// <value>
    /// The description; or <see langword="null"/> if an <see cref="IoEngine"/> was specified for this file
    /// (<see cref="SluiceOptions.Engine"/>).
    /// </value>
    /// <remarks>Reading this property initializes io_uring if that has not been done yet.</remarks>
    public string? RingsDescription => IsCustomEngine ? null : SluiceEngines.RingsDescription;

    /// <summary>Gets the number of direct transfers of this handle that were not aligned (see <see cref="Alignment"/>).</summary>
    /// <remarks>
    /// <para>
    /// An unaligned write requires an additional transfer through the page cache, and an unaligned read requires an additional copy. If
    /// most transfers of a file are not aligned, <see cref="FileCaching.Cached"/> is faster.
    /// </para>
    /// <para>The value is 0 if the handle has not used <see cref="FileCaching.Direct"/>.</para>
    /// </remarks>
    public long EdgeTransfers => _extras?.EdgeTransfers ?? 0;

    /// <summary>Notes a transfer of <see cref="EdgeTransfers"/>.</summary>
    internal void NoteEdge()
    {
        Extras.CountEdge();
        IoMetrics.NoteEdge();
    }

    /// <summary>Whether the handle can be used no more.</summary>
    internal bool IsClosed => _disposed || _file.IsClosed;

    internal IoEngine EngineInUse => _extras?.Engine ?? SluiceEngines.Ring;

    internal int Descriptor => _fd;

    /// <summary>
    /// Returns true if the kernel may wait for the file system's answer in the call that begins a transfer, even if it is asked not to wait
    /// (FUSE; 0017). In a ring, such a call would delay everything that other callers submit. The first use makes a system call. If the
    /// file is closed meanwhile, the answer is meaningless and not used.
    /// </summary>
    internal bool BeginsByWaiting
    {
        get
        {
            if (Libc.IsSupported && (_found & (WaitsToBegin | BeginsAtOnce)) == 0)
            {
                _ = FindDevice();
            }

            return (_found & WaitsToBegin) != 0;
        }
    }

    private StorageDevice Device => _device ?? FindDevice();

    private StorageDevice FindDevice()
    {
        StorageDevice device = StorageDevice.Of(_fd, out bool isOnFuse);
        _found |= isOnFuse ? WaitsToBegin : BeginsAtOnce;
        return _device = device;
    }

    /// <summary>As <see cref="BeginsByWaiting"/>, without a look: false where nobody has asked yet.</summary>
    internal bool IsKnownToBeginByWaiting => (_found & WaitsToBegin) != 0;

    /// <summary>The threads for blocking calls; null if the file is not on FUSE, or nobody has asked yet.</summary>
    internal FuseThreads? FuseThreads => IsKnownToBeginByWaiting ? Device.FuseThreads : null;

    /// <summary>
    /// Returns true if an asynchronous call may write on the calling thread; <see cref="EndWriteHere"/> or <see cref="AbandonWriteHere"/>
    /// follows. Does not wait.
    /// </summary>
    private protected bool TryBeginWriteHere(out long begin)
    {
        begin = Stopwatch.GetTimestamp();
        return !BeginsByWaiting && _slowWrites < StorageDevice.MaxSlowWrites && Device.TryBeginWrite(begin);
    }

    private protected void EndWriteHere(long begin, long length)
    {
        long now = Stopwatch.GetTimestamp();
        Device.EndWrite(now, NoteWrite(now - begin, (int)length));
    }

    /// <summary>Nothing was written.</summary>
    private protected void AbandonWriteHere() => Device.AbandonWrite();

    /// <summary>Begins a write on a thread that may wait for the device; <see cref="EndBlockingWrite"/> follows.</summary>
    internal long BeginBlockingWrite()
    {
        Device.BeginBlockingWrite();
        return Stopwatch.GetTimestamp();
    }

    internal void EndBlockingWrite(long begin, int length)
    {
        long now = Stopwatch.GetTimestamp();
        Device.EndBlockingWrite(now, NoteWrite(now - begin, length));
    }

    private bool NoteWrite(long elapsed, int length)
    {
        bool wasSlow = StorageDevice.IsSlow(elapsed, length);
        _slowWrites = StorageDevice.CountSlow(_slowWrites, wasSlow);
        return wasSlow;
    }

    /// <summary>
    /// The offsets of writes are not arguments of a caller: the file belongs to a writer or a replacement, for which a file that becomes too
    /// large (EFBIG) is an error of the system.
    /// </summary>
    internal bool HasOwnOffsets
    {
        get => (_access & OwnOffsets) != 0;
        set => _access = (byte)(value ? _access | OwnOffsets : _access & ~OwnOffsets);
    }

    private protected bool IsCustomEngine => _extras?.Engine is not null;

    /// <summary>Every transfer is to pass through the engine, synchronous ones too: it is an intercepting one.</summary>
    private protected bool IsIntercepted => _extras?.Engine is { } engine and not (ThreadPoolEngine or UringEngine);

    /// <summary>Already found out that there are no offsets; false where nobody has asked yet.</summary>
    private protected bool IsKnownUnseekable => (_found & SeeksNot) != 0;

    private protected OpenFileExtras Extras =>
        _extras ?? Interlocked.CompareExchange(ref _extras, new OpenFileExtras(), null) ?? _extras;

    /// <summary>
    /// The most that one system call is asked to transfer: the kernel's MAX_RW_COUNT, rounded down to a large alignment. Small in
    /// Debug builds, so that every test walks the rest of partial transfers.
    /// </summary>
#if DEBUG
    internal const int MaxBytesPerTransfer = 48 * 1024;
#else
    internal const int MaxBytesPerTransfer = 0x7FF0_0000;
#endif

    /// <summary>Bytes between two checks of the token of a cached transfer. Small in Debug builds, so that tests reach it.</summary>
#if DEBUG
    internal const int MaxInlineBytes = 32 * 1024;
#else
    internal const int MaxInlineBytes = 1024 * 1024;
#endif

    /// <summary>Bytes that an asynchronous call copies on the calling thread. Small in Debug builds, so that tests exceed it.</summary>
#if DEBUG
    internal const int InlineLimit = MaxInlineBytes;
#else
    internal static int InlineLimit => Tuning.InlineLimitBytes;
#endif

    /// <summary>
    /// The longest piece of a direct transfer between two looks at its token, in bytes: some milliseconds of a device, beside which the
    /// way to the next piece is short.
    /// </summary>
#if DEBUG
    internal const int MaxDirectPieceBytes = 128 * 1024;
#else
    internal const int MaxDirectPieceBytes = 8 * 1024 * 1024;
#endif

    /// <summary>Appends on this thread; the caller holds a reference, and is alone inside the gate of a direct file.</summary>
    /// <returns>Where it landed, or a negative errno; elsewhere than on Linux errors are thrown.</returns>
    internal abstract long AppendBlocking(ReadOnlySpan<byte> buffer);

    /// <summary>
    /// A reference for the whole of a call: the descriptor stays what it is until the result is disposed, whoever disposes this object
    /// meanwhile.
    /// </summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal Reference Hold() => new(_file);

    /// <summary>As <see cref="Hold"/>, for what does not end with the call: until <see cref="ReleaseReference"/>.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal void AddReference()
    {
        ThrowIfClosed();
        Reference.Take(_file);
    }

    internal void ReleaseReference() => _file.DangerousRelease();

    /// <summary>
    /// Whether <paramref name="offset"/> is at or behind the end of file; true where the file has no length of its own, and false on a
    /// block device, whose end only a read of 0 bytes tells. The caller holds a reference.
    /// </summary>
    /// <exception cref="IOException">The operating system does not tell: an error is no end.</exception>
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

        int result = Libc.Stat(_fd, StatxMask.Size | StatxMask.Type, out Statx stat);
        if (result < 0)
        {
            IoErrors.Throw(-result, IoVerb.Read, Path, offset);
        }

        return IsAtEnd(offset, in stat);
    }

    /// <summary>
    /// Whether a read at <paramref name="offset"/> that gave no byte found the end of the file, as its length tells. False where the length
    /// is told as 0, as FUSE and /proc do for files with content: there only a plain read tells. The caller holds a reference.
    /// </summary>
    internal bool IsConfirmedEnd(long offset) =>
        Libc.IsSupported ? Libc.LengthOf(_fd) is > 0 and long length && offset >= length : IsAtEnd(offset);

    private protected static bool IsAtEnd(long offset, in Statx stat)
    {
        int type = stat.Mode & Statx.TypeMask;
        return type != Statx.TypeBlockDevice && (type != Statx.TypeRegular || offset >= (long)stat.Size);
    }

    /// <summary>Near the largest offset the kernel calls a direct read invalid where a cached one finds the end of the file.</summary>
    internal bool IsInvalidBehindEnd(int result, long offset, long length) =>
        result == -Errno.EINVAL && Caching == FileCaching.Direct && offset <= long.MaxValue - length && IsAtEnd(offset);

    /// <summary>What is not flushed at all answers so to fsync(2): pipes, terminals, and the folders of some file systems.</summary>
    internal static bool IsUnflushable(int errno) => errno is Errno.EINVAL or Errno.EOPNOTSUPP;

    /// <summary>
    /// Whether a flush failed because there is nothing to flush, which .NET ignores: where the handle cannot have written, or the file is
    /// no regular one. A file system that an error has made read-only answers EROFS, and what was written before is lost. The caller holds
    /// a reference.
    /// </summary>
    internal bool HasNothingToFlush(int errno)
    {
        if (!IsUnflushable(errno) && errno != Errno.EROFS)
        {
            return false;
        }

        if ((Access & FileAccess.Write) == 0)
        {
            return true;
        }

        // Files of /proc are regular ones without a length, and EINVAL says that their file system flushes nothing.
        return Libc.Stat(_fd, StatxMask.Size | StatxMask.Type, out Statx stat) == 0
            && ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular || (errno == Errno.EINVAL && stat.Size == 0));
    }

    /// <summary>The error of a transfer: a handle that was not opened for it says so.</summary>
    [DoesNotReturn]
    private protected void ThrowFailed(int errno, IoVerb verb, long fileOffset) => throw ErrorOf(errno, verb, fileOffset);

    /// <inheritdoc cref="ThrowFailed"/>
    internal Exception ErrorOf(int errno, IoVerb verb, long fileOffset) =>
        errno == Errno.EBADF ? MissingAccess(verb, fileOffset) ?? IoErrors.Create(errno, verb, Path, fileOffset)
        : errno == Errno.EFBIG && HasOwnOffsets ? IoErrors.TooLarge(verb, Path, fileOffset)
        : IoErrors.Create(errno, verb, Path, fileOffset);

    /// <summary>The error of what the handle was not opened for; null where it was.</summary>
    private protected UnauthorizedAccessException? MissingAccess(IoVerb verb, long fileOffset)
    {
        (FileAccess needed, string what) = verb switch
        {
            IoVerb.Read or IoVerb.ReadVector => (FileAccess.Read, "reading"),
            IoVerb.Write or IoVerb.WriteVector or IoVerb.Append or IoVerb.SetLength or IoVerb.Allocate or IoVerb.PunchHole =>
                (FileAccess.Write, "writing"),
            _ => default,
        };
        return (Access & needed) == needed ? null : IoErrors.NotOpenedFor(what, verb, Path, fileOffset);
    }

    private protected void ThrowIfClosed()
    {
        if (IsClosed)
        {
            IoErrors.ThrowClosed(Path);
        }
    }

    /// <summary>Disposed once, by the method that took it.</summary>
    internal readonly ref struct Reference
    {
        private readonly SafeFileHandle _file;

        public Reference(SafeFileHandle file)
        {
            Take(file);
            _file = file;
        }

        /// <summary>Takes a reference that <see cref="SafeHandle.DangerousRelease"/> gives back; the only place that does.</summary>
        /// <exception cref="ObjectDisposedException">The file is closed.</exception>
        public static void Take(SafeHandle file)
        {
            bool added = false;
            file.DangerousAddRef(ref added);
        }

        public void Dispose() => _file.DangerousRelease();
    }

    /// <summary>Asked at the first use, not at opening: most handles learn it from their first transfer's need.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed: its number may be another file's.</exception>
    private bool FindOutSeeking()
    {
        using Reference held = Hold();
        bool seeks;
        if (Libc.IsSupported)
        {
            long position = Libc.Position(_fd);
            seeks = position is not -Errno.ESPIPE and not -Errno.EINVAL;
            if (seeks && position < 0)
            {
                // A file system that has died tells nothing (xfs: EIO); the call that this is for says so.
                return true;
            }
        }
        else
        {
            seeks = SeeksPortably(_file);
        }

        _found |= seeks ? Seeks : SeeksNot;
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
}
