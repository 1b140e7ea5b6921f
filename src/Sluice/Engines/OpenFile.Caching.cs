using Microsoft.Win32.SafeHandles;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

// The caching mode: set when the file is opened, and changed if the file system refuses it at a transfer.
public abstract partial class OpenFile
{
    private const int FallbackAlignment = 4096;

    /// <summary>The f_type of statfs(2) for overlayfs.</summary>
    private const long OverlayMagic = 0x794C_7630;

    /// <summary>Gets the caching mode that is in effect.</summary>
    /// <remarks>
    /// The value differs from the requested mode if the file or the file system does not support that mode. It changes from
    /// <see cref="FileCaching.Direct"/> to <see cref="FileCaching.Cached"/> if the file system later refuses a direct transfer.
    /// </remarks>
    public FileCaching Caching
    {
        get => (FileCaching)_caching;
        private set => _caching = (byte)value;
    }

    /// <summary>
    /// Gets a one-line explanation of why <see cref="Caching"/> differs from the requested mode, or <see langword="null"/> if it does not
    /// differ.
    /// </summary>
    public string? CachingReason => _extras?.CachingReason;

    /// <summary>Gets the alignment that a transfer needs to avoid an intermediate copy.</summary>
    /// <value>
    /// The alignment if <see cref="Caching"/> is <see cref="FileCaching.Direct"/>; otherwise, <see cref="FileAlignment.None"/>.
    /// </value>
    /// <remarks>Transfers that are not aligned are supported, but are slower.</remarks>
    public FileAlignment Alignment => Caching == FileCaching.Direct ? _extras!.Alignment : FileAlignment.None;

    /// <summary>
    /// True if the file is a character device, for which a read with RWF_NOWAIT may be short. Found by the first short read.
    /// </summary>
    internal bool IsCharacterDevice => _extras is { IsCharacterDevice: true };

    internal RwFlags TransferFlags
    {
        get => (RwFlags)_flagBits;
        private set => _flagBits = (byte)value;
    }

    private protected bool DropsBehind => _extras is { DropsBehind: true };

    /// <summary>The gate of direct and cached writes of a direct file; null for other files.</summary>
    internal DirectWriteGate? DirectGate => _extras?.DirectGate;

    /// <summary>
    /// Returns true if EIO of a direct read can be due to a concurrent cached write: on xfs, and on overlay, which may use xfs.
    /// </summary>
    internal bool FailsBesideCachedWrites => DirectGate is not null && Libc.FileSystemType(_fd) is Libc.XfsMagic or OverlayMagic;

    /// <summary>Clears O_DIRECT until <see cref="ResumeDirect"/>. The caller must have entered the gate exclusively.</summary>
    internal void SuspendDirect()
    {
        lock (Extras.Lock)
        {
            SetDirectFlag(false);
        }
    }

    /// <summary>Sets O_DIRECT again, unless the handle has become cached meanwhile.</summary>
    internal void ResumeDirect()
    {
        lock (Extras.Lock)
        {
            if (Caching == FileCaching.Direct)
            {
                SetDirectFlag(true);
            }
        }
    }

    private void SetDirectFlag(bool on)
    {
        int flags = Libc.GetFlags(_fd);
        if (flags >= 0)
        {
            // If this fails, the transfer fails because O_DIRECT is set, or goes through the page cache because it is not.
            _ = Libc.SetFlags(_fd, on ? flags | Libc.DirectFlag : flags & ~Libc.DirectFlag);
        }
    }

    /// <summary>Returns true if writes ignore their offset (O_APPEND).</summary>
    internal bool IsAppending() => Libc.IsSupported && Libc.IsAppending(_fd);

    /// <summary>Stops the use of RWF_DONTCACHE, which the file system does not support. From now on fadvise drops the pages.</summary>
    internal void LoseDontCache()
    {
        TransferFlags &= ~RwFlags.DontCache;
        Extras.DropsBehind = true;
    }

    /// <summary>
    /// Makes the handle cached after the file system has refused an aligned direct transfer. Returns true if the transfer is to be repeated.
    /// </summary>
    internal bool LoseDirect(IoVerb verb, long offset, int length)
    {
        if (offset > long.MaxValue - length - FallbackAlignment)
        {
            // The offset is invalid for a cached transfer too.
            return false;
        }

        if (verb is IoVerb.Flush or IoVerb.FlushData || !Libc.IsSupported)
        {
            return false;
        }

        lock (Extras.Lock)
        {
            if (Caching == FileCaching.Direct)
            {
                SetDirectFlag(false);
                Extras.CachingReason = "the file system took O_DIRECT at opening and refused a direct transfer (EINVAL)";
                Caching = FileCaching.Cached;
                Fallbacks.Note(Fallbacks.Caching, Extras.CachingReason, Path);
            }
        }

        return true;
    }

    /// <summary>Begins to drop the pages of a write if the handle is uncached and there is no RWF_DONTCACHE.</summary>
    internal void AfterWrite(long fileOffset, int bytes)
    {
        if (DropsBehind && bytes > 0)
        {
            (long start, long length) = DropBehind.AfterWrite(fileOffset, bytes);
            CacheCalls.Drop(_fd, start, length);
        }
    }

    /// <summary>Drops the pages of a read if the handle is uncached and there is no RWF_DONTCACHE.</summary>
    internal void AfterRead(long fileOffset, int bytes)
    {
        if (DropsBehind && bytes > 0)
        {
            CacheCalls.Drop(_fd, fileOffset, bytes);
        }
    }

    private protected static bool IsDirect(SafeFileHandle file)
    {
        int flags = Libc.GetFlags((int)file.DangerousGetHandle());
        return flags >= 0 && (flags & Libc.DirectFlag) != 0;
    }

    private void SetCaching(FileCaching caching)
    {
        if (caching == FileCaching.Cached)
        {
            return;
        }

        Extras.CachingReason = !CanSeek
            ? "the file cannot seek"
            : !Libc.IsSupported
                ? "Sluice changes caching on 64-bit Linux only"
                : caching == FileCaching.Direct ? TryDirect() : TryUncached();
        if (_extras!.CachingReason is { } reason)
        {
            Fallbacks.Note(Fallbacks.Caching, reason, Path);
        }
    }

    /// <summary>Makes the handle direct. Returns null, or the reason why it is not.</summary>
    private string? TryDirect()
    {
        if (Libc.Stat(_fd, StatxMask.BasicStats | StatxMask.DioAlign, out Statx stat) != 0)
        {
            return "statx failed";
        }

        int type = stat.Mode & Statx.TypeMask;
        if (type is not (Statx.TypeRegular or Statx.TypeBlockDevice))
        {
            return "only regular files and block devices have direct I/O";
        }

        bool known = (stat.Mask & StatxMask.DioAlign) != 0;
        if (known && stat.DioOffsetAlign == 0)
        {
            return "the file system has no direct I/O for this file (STATX_DIOALIGN)";
        }

        int flags = Libc.GetFlags(_fd);
        int result = flags < 0 ? flags : Libc.SetFlags(_fd, flags | Libc.DirectFlag);
        if (result < 0)
        {
            return result == -Errno.EINVAL
                ? "the file system refuses O_DIRECT (EINVAL)"
                : $"the file system refuses O_DIRECT (errno {-result})";
        }

        int offset = known ? (int)stat.DioOffsetAlign : LogicalBlockSize(stat);
        int memory = known ? (int)stat.DioMemAlign : offset;
        OpenFileExtras extras = Extras;
        extras.Alignment = new FileAlignment(Math.Max(memory, 1), offset, offset);
        extras.DirectGate = DirectWriteGate.Of(((ulong)stat.DevMajor << 32) | stat.DevMinor, stat.Ino);
        Caching = FileCaching.Direct;
        return null;
    }

    private string? TryUncached()
    {
        Caching = FileCaching.Uncached;
        if ((Access & FileAccess.Read) != 0 && !SupportsDontCache())
        {
            Extras.DropsBehind = true;
        }
        else
        {
            TransferFlags |= RwFlags.DontCache;
        }

        return null;
    }

    /// <summary>
    /// Returns true if the file system supports RWF_DONTCACHE. Reads a byte far beyond the end of the file: the kernel checks the flag, and
    /// there is no data.
    /// </summary>
    private bool SupportsDontCache()
    {
        Span<byte> nothing = stackalloc byte[1];
        return TransferCalls.Read(_fd, nothing, long.MaxValue - (1 << 20), RwFlags.DontCache) != -Errno.EOPNOTSUPP;
    }

    /// <summary>Returns the logical block size of the device, for kernels whose statx does not report the alignment (before 6.1).</summary>
    private static int LogicalBlockSize(in Statx stat)
    {
        string device = $"/sys/dev/block/{stat.DevMajor}:{stat.DevMinor}";
        foreach (string queue in (ReadOnlySpan<string>)[$"{device}/queue", $"{device}/../queue"])
        {
            try
            {
                if (int.TryParse(File.ReadAllText($"{queue}/logical_block_size"), out int bytes) && int.IsPow2(bytes))
                {
                    return bytes;
                }
            }
            catch (Exception e) when (e is IOException or UnauthorizedAccessException)
            {
                // A partition has no queue of its own, and a network file system has no device.
            }
        }

        return FallbackAlignment;
    }
}
