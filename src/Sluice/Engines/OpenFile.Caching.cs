using Microsoft.Win32.SafeHandles;
using Sluice.Engines;
using Sluice.Errors;
using Sluice.Kernel;
using Sluice.Uring;
using Sluice.Uring.Abi;

namespace Sluice;

// Which way data takes through the page cache: chosen at opening, lost when the file system refuses it at a transfer.
public abstract partial class OpenFile
{
    private const int FallbackAlignment = 4096;

    /// <summary>f_type of statfs(2).</summary>
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

    /// <summary>Known after the first read that came back short: /dev/zero and its kind cut reads that may not wait wherever they
    /// like.</summary>
    internal bool IsCharacterDevice => _extras is { IsCharacterDevice: true };

    internal RwFlags TransferFlags
    {
        get => (RwFlags)_flagBits;
        private set => _flagBits = (byte)value;
    }

    private protected bool DropsBehind => _extras is { DropsBehind: true };

    /// <summary>On a direct handle, keeps edge writes and block writes of this process to one file apart; null on others.</summary>
    internal DirectWriteGate? DirectGate => _extras?.DirectGate;

    /// <summary>
    /// Whether a direct read's EIO may be the file system's answer to a cached write beside it, and not the device's: xfs, and overlay,
    /// which may stand on xfs.
    /// </summary>
    internal bool FailsBesideCachedWrites => DirectGate is not null && Libc.FileSystemType(_fd) is Libc.XfsMagic or OverlayMagic;

    /// <summary>Takes O_DIRECT off the descriptor for a call; the caller is alone inside the gate.</summary>
    internal void SuspendDirect()
    {
        lock (Extras.Lock)
        {
            SetDirectFlag(false);
        }
    }

    /// <summary>Puts O_DIRECT on again, unless the handle has become a cached one meanwhile.</summary>
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
            // With O_DIRECT still set the transfer itself fails, and with O_DIRECT still missing it passes through the page cache.
            _ = Libc.SetFlags(_fd, on ? flags | Libc.DirectFlag : flags & ~Libc.DirectFlag);
        }
    }

    /// <summary>Whether every write goes to the end of the file, whatever its offset (O_APPEND).</summary>
    internal bool IsAppending() => Libc.IsSupported && Libc.IsAppending(_fd);

    /// <summary>The file system turned RWF_DONTCACHE down: from here on the pages are dropped by fadvise.</summary>
    internal void LoseDontCache()
    {
        TransferFlags &= ~RwFlags.DontCache;
        Extras.DropsBehind = true;
    }

    /// <summary>
    /// A direct transfer was refused as invalid although it was aligned as the file system asks: from here on the handle is cached, if
    /// another one's refusal has not made it so before. True when the transfer is worth another try.
    /// </summary>
    internal bool LoseDirect(IoVerb verb, long offset, int length)
    {
        if (offset > long.MaxValue - length - FallbackAlignment)
        {
            // Such a place is invalid for a cached transfer too.
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

    /// <summary>Books a completed write: starts dropping its pages on an uncached handle without RWF_DONTCACHE.</summary>
    internal void AfterWrite(long fileOffset, int bytes)
    {
        if (DropsBehind && bytes > 0)
        {
            (long start, long length) = DropBehind.AfterWrite(fileOffset, bytes);
            CacheCalls.Drop(_fd, start, length);
        }
    }

    /// <summary>Books a completed read: drops its pages on an uncached handle without RWF_DONTCACHE.</summary>
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

    /// <summary>Null when the handle is direct now, else why not.</summary>
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

    /// <summary>Asks by reading a byte far behind the end of file: nothing there, but the flag is checked.</summary>
    private bool SupportsDontCache()
    {
        Span<byte> nothing = stackalloc byte[1];
        return TransferCalls.Read(_fd, nothing, long.MaxValue - (1 << 20), RwFlags.DontCache) != -Errno.EOPNOTSUPP;
    }

    /// <summary>The device's logical block size, where statx does not tell the alignment (before Linux 6.1).</summary>
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
                // A partition has no queue of its own, a network file system no device: try the next, then the safe guess.
            }
        }

        return FallbackAlignment;
    }
}
