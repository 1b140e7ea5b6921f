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
    // The bits of _found. If neither bit of a pair is set, the property is not known yet.
    private const byte KnownToSeek = 1;
    private const byte KnownNotToSeek = 2;
    private const byte KnownToBlock = 4;
    private const byte KnownNotToBlock = 8;

    /// <summary>The bit of the access field for <see cref="HasOwnOffsets"/>, in addition to those of <see cref="FileAccess"/>.</summary>
    private const byte OwnOffsets = 8;

    // Fields are narrow, and those that few files need are in another object, because there is one of these for each open file.
    private protected readonly SafeFileHandle _file;
    private protected readonly string? _path;
    private protected readonly int _fd;
    private byte _access;
    private protected OpenFileExtras? _extras;
    private StorageDevice? _device;
    private byte _slowWrites;
    private byte _caching;
    private byte _flagBits;

    /// <summary>The known properties of the file. A bit that is lost because two threads set bits at once is determined again.</summary>
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
    public bool CanSeek =>
        _found is var found && (found & (KnownToSeek | KnownNotToSeek)) == 0 ? FindOutSeeking() : (found & KnownToSeek) != 0;

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

    /// <summary>Counts a transfer in <see cref="EdgeTransfers"/>.</summary>
    internal void NoteEdge()
    {
        Extras.CountEdge();
        IoMetrics.NoteEdge();
    }

    /// <summary>True if the handle is closed.</summary>
    internal bool IsClosed => _disposed || _file.IsClosed;

    internal IoEngine EngineInUse => _extras?.Engine ?? SluiceEngines.Ring;

    internal int Descriptor => _fd;

    /// <summary>
    /// Returns true if the submission of a transfer to a ring may block until the file system answers, even if the kernel is asked not to
    /// wait (FUSE; 0017). This would delay everything that other callers submit. The first use makes a system call. If the file is closed
    /// meanwhile, the answer is meaningless and not used.
    /// </summary>
    internal bool BlocksSubmitter
    {
        get
        {
            if (Libc.IsSupported && (_found & (KnownToBlock | KnownNotToBlock)) == 0)
            {
                _ = FindDevice();
            }

            return (_found & KnownToBlock) != 0;
        }
    }

    private StorageDevice Device => _device ?? FindDevice();

    private StorageDevice FindDevice()
    {
        StorageDevice device = StorageDevice.Of(_fd, out bool isOnFuse);
        _found |= isOnFuse ? KnownToBlock : KnownNotToBlock;
        return _device = device;
    }

    /// <summary>True if <see cref="BlocksSubmitter"/> is known to be true. Makes no system call.</summary>
    internal bool IsKnownToBlockSubmitter => (_found & KnownToBlock) != 0;

    /// <summary>The threads for blocking calls; null if the file is not on FUSE, or if this is not known yet.</summary>
    internal FuseThreads? FuseThreads => IsKnownToBlockSubmitter ? Device.FuseThreads : null;

    /// <summary>
    /// Returns true if an asynchronous call may write on the calling thread; <see cref="EndWriteHere"/> or <see cref="AbandonWriteHere"/>
    /// follows. Does not wait.
    /// </summary>
    private protected bool TryBeginWriteHere(out long begin)
    {
        begin = Stopwatch.GetTimestamp();
        return !BlocksSubmitter && _slowWrites < StorageDevice.MaxSlowWrites && Device.TryBeginWrite(begin);
    }

    private protected void EndWriteHere(long begin, long length)
    {
        long now = Stopwatch.GetTimestamp();
        Device.EndWrite(now, NoteWrite(now - begin, (int)length));
    }

    /// <summary>Ends a write on the calling thread that wrote nothing.</summary>
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
    /// True if the file belongs to a writer or a replacement, so that the offset of a write is not the caller's argument, and EFBIG is an
    /// <see cref="IOException"/>.
    /// </summary>
    internal bool HasOwnOffsets
    {
        get => (_access & OwnOffsets) != 0;
        set => _access = (byte)(value ? _access | OwnOffsets : _access & ~OwnOffsets);
    }

    private protected bool IsCustomEngine => _extras?.Engine is not null;

    /// <summary>True if the engine is an intercepting one, so that synchronous transfers pass through it too.</summary>
    private protected bool IsIntercepted => _extras?.Engine is { } engine and not (ThreadPoolEngine or UringEngine);

    /// <summary>True if the file is known not to seek.</summary>
    private protected bool IsKnownUnseekable => (_found & KnownNotToSeek) != 0;

    private protected OpenFileExtras Extras =>
        _extras ?? Interlocked.CompareExchange(ref _extras, new OpenFileExtras(), null) ?? _extras;

    /// <summary>
    /// The maximum number of bytes of one system call: the kernel's MAX_RW_COUNT, rounded down to a large alignment. Small in Debug builds,
    /// so that tests exceed it.
    /// </summary>
#if DEBUG
    internal const int MaxBytesPerTransfer = 48 * 1024;
#else
    internal const int MaxBytesPerTransfer = 0x7FF0_0000;
#endif

    /// <summary>
    /// The number of bytes of a cached transfer between two checks of its token. Small in Debug builds, so that tests exceed it.
    /// </summary>
#if DEBUG
    internal const int MaxInlineBytes = 32 * 1024;
#else
    internal const int MaxInlineBytes = 1024 * 1024;
#endif

    /// <summary>
    /// The maximum number of bytes that an asynchronous call copies on the calling thread. Small in Debug builds, so that tests exceed it.
    /// </summary>
#if DEBUG
    internal const int InlineLimit = MaxInlineBytes;
#else
    internal static int InlineLimit => Tuning.InlineLimitBytes;
#endif

    /// <summary>
    /// The number of bytes of a direct transfer between two checks of its token: some milliseconds of a device. Small in Debug builds, so
    /// that tests exceed it.
    /// </summary>
#if DEBUG
    internal const int MaxDirectPieceBytes = 128 * 1024;
#else
    internal const int MaxDirectPieceBytes = 8 * 1024 * 1024;
#endif

    /// <summary>Appends on this thread. The caller has a reference, and is exclusively inside the gate of a direct file.</summary>
    /// <returns>The offset of the bytes, or a negative errno. On other systems than Linux, errors are thrown.</returns>
    internal abstract long AppendBlocking(ReadOnlySpan<byte> buffer);

    /// <summary>Takes a reference to the descriptor: it is not closed until the result is disposed.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal Reference TakeReference() => new(_file);

    /// <summary>Takes a reference to the descriptor until <see cref="ReleaseReference"/>.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    internal void AddReference()
    {
        ThrowIfClosed();
        Reference.Take(_file);
    }

    internal void ReleaseReference() => _file.DangerousRelease();

    /// <summary>
    /// Returns true if <paramref name="offset"/> is at or beyond the end of the file, or the file has no length. Returns false for a block
    /// device, whose end only a read of 0 bytes shows. The caller has a reference.
    /// </summary>
    /// <exception cref="IOException">The operating system reported an error.</exception>
    internal bool IsAtEnd(long offset)
    {
        if (!Libc.IsSupported)
        {
            return !CanSeek || offset >= RandomAccess.GetLength(_file);
        }

        // The cheaper call suffices unless the length is 0, as for devices, pipes and files of /proc.
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
    /// Returns true if the length of the file confirms that a read of 0 bytes at <paramref name="offset"/> found its end. Returns false if
    /// the reported length is 0, as in FUSE and /proc also for files with content. The caller has a reference.
    /// </summary>
    internal bool IsConfirmedEnd(long offset) =>
        Libc.IsSupported ? Libc.LengthOf(_fd) is > 0 and long length && offset >= length : IsAtEnd(offset);

    private protected static bool IsAtEnd(long offset, in Statx stat)
    {
        int type = stat.Mode & Statx.TypeMask;
        return type != Statx.TypeBlockDevice && (type != Statx.TypeRegular || offset >= (long)stat.Size);
    }

    /// <summary>
    /// Returns true if EINVAL of a direct read means the end of the file: near the largest offset, where a cached read returns 0 bytes.
    /// </summary>
    internal bool IsInvalidBehindEnd(int result, long offset, long length) =>
        result == -Errno.EINVAL && Caching == FileCaching.Direct && offset <= long.MaxValue - length && IsAtEnd(offset);

    /// <summary>
    /// Returns true for the errors of fsync(2) for files that cannot be flushed: pipes, terminals, directories of some file systems.
    /// </summary>
    internal static bool IsUnflushable(int errno) => errno is Errno.EINVAL or Errno.EOPNOTSUPP;

    /// <summary>
    /// Returns true if a flush failed because there is nothing to flush, which .NET ignores: the handle is read-only, or the file is no
    /// regular file. EROFS of a regular file means that an error has made the file system read-only, and written bytes are lost. The caller
    /// has a reference.
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

        // Files of /proc are regular files without a length, for which fsync reports EINVAL.
        return Libc.Stat(_fd, StatxMask.Size | StatxMask.Type, out Statx stat) == 0
            && ((stat.Mode & Statx.TypeMask) != Statx.TypeRegular || (errno == Errno.EINVAL && stat.Size == 0));
    }

    /// <summary>Throws the exception of a transfer that failed.</summary>
    [DoesNotReturn]
    private protected void ThrowFailed(int errno, IoVerb verb, long fileOffset) => throw ErrorOf(errno, verb, fileOffset);

    /// <inheritdoc cref="ThrowFailed"/>
    internal Exception ErrorOf(int errno, IoVerb verb, long fileOffset) =>
        errno == Errno.EBADF ? MissingAccess(verb, fileOffset) ?? IoErrors.Create(errno, verb, Path, fileOffset)
        : errno == Errno.EFBIG && HasOwnOffsets ? IoErrors.TooLarge(verb, Path, fileOffset)
        : IoErrors.Create(errno, verb, Path, fileOffset);

    /// <summary>Returns the exception of an operation for which the handle was not opened; null if it was opened for it.</summary>
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

    /// <summary>A reference to a descriptor. Must be disposed exactly once.</summary>
    internal readonly ref struct Reference
    {
        private readonly SafeFileHandle _file;

        public Reference(SafeFileHandle file)
        {
            Take(file);
            _file = file;
        }

        /// <summary>Takes a reference, which <see cref="SafeHandle.DangerousRelease"/> releases.</summary>
        /// <exception cref="ObjectDisposedException">The file is closed.</exception>
        public static void Take(SafeHandle file)
        {
            bool added = false;
            file.DangerousAddRef(ref added);
        }

        public void Dispose() => _file.DangerousRelease();
    }

    /// <summary>Determines whether the file can seek, on the first use.</summary>
    /// <exception cref="ObjectDisposedException">The handle is closed.</exception>
    private bool FindOutSeeking()
    {
        using Reference held = TakeReference();
        bool seeks;
        if (Libc.IsSupported)
        {
            long position = Libc.Position(_fd);
            seeks = position is not -Errno.ESPIPE and not -Errno.EINVAL;
            if (seeks && position < 0)
            {
                // A failed file system (EIO on xfs) does not report whether the file can seek. The transfer then reports the error.
                return true;
            }
        }
        else
        {
            seeks = SeeksPortably(_file);
        }

        _found |= seeks ? KnownToSeek : KnownNotToSeek;
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
