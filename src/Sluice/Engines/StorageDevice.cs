using System.Collections.Concurrent;
using System.Diagnostics;
using Sluice.Kernel;
using Sluice.Uring.Abi;

namespace Sluice.Engines;

/// <summary>
/// A device that open files are on (st_dev). Decides whether an asynchronous call may make its cached write on the calling thread: a file
/// system that is frozen, full of dirty pages or out of reach can hold such a write for any length of time. Thread-safe.
/// </summary>
/// <remarks>
/// One thread at a time makes such a write, so a device that stops responding holds at most one caller of an asynchronous method. All
/// others use pool threads until that write has ended and a write was fast again.
/// </remarks>
internal sealed class StorageDevice
{
    /// <summary>Time that a write may take in addition to copying its bytes. A hop to the pool takes 5 to 10 us.</summary>
    private const int SlowMicroseconds = 100;

    /// <summary>A conservative rate of copies into the page cache: 500 to 1,000 MB/s if a host has to provide the pages.</summary>
    private const int BytesPerMicrosecond = 1000;

    /// <summary>If a pool thread's write takes longer than this, no write is made on a caller's thread.</summary>
    private const int MaxOutstandingMicroseconds = 1000;

    private static readonly long TicksOfMicrosecond = Math.Max(1, Stopwatch.Frequency / 1_000_000);
    private static readonly ConcurrentDictionary<ulong, StorageDevice> Devices = [];

    private readonly Lock _lock = new();
    private ulong _mountId;
    private bool _isOnFuse;

    private bool _isSlow;
    private int _hasWriter;
    private int _blockingWrites;

    /// <summary>When the first of the blocking writes began, or one of them ended.</summary>
    private long _blockingSince;

    /// <summary>Returns the device of an open file. Does not wait for a server or a FUSE program if the kernel has unique mount IDs.</summary>
    public static StorageDevice Of(int fd, out bool isOnFuse)
    {
        bool isKnown = Libc.StatCached(fd, StatxMask.MntIdUnique, out Statx stat) == 0;
        ulong number = isKnown ? ((ulong)stat.DevMajor << 32) | stat.DevMinor : ulong.MaxValue;
        StorageDevice device = Devices.GetOrAdd(number, static _ => new StorageDevice());
        ulong mountId = isKnown && (stat.Mask & StatxMask.MntIdUnique) != 0 ? stat.MntId : 0;
        isOnFuse = device.IsOnFuse(fd, mountId);
        return device;
    }

    /// <summary>Returns true if a write took longer than copying its bytes explains.</summary>
    public static bool IsSlow(long begin, int length) =>
        Stopwatch.GetTimestamp() - begin > (SlowMicroseconds + (length / BytesPerMicrosecond)) * TicksOfMicrosecond;

    /// <summary>Returns true if the calling thread may write; <see cref="EndWrite"/> follows. Does not wait.</summary>
    public bool TryBeginWrite(out long begin)
    {
        begin = Stopwatch.GetTimestamp();
        return !Volatile.Read(ref _isSlow)
            && (Volatile.Read(ref _blockingWrites) == 0
                || begin - Volatile.Read(ref _blockingSince) < MaxOutstandingMicroseconds * TicksOfMicrosecond)
            && Interlocked.CompareExchange(ref _hasWriter, 1, 0) == 0;
    }

    public void EndWrite(bool wasSlow)
    {
        Volatile.Write(ref _isSlow, wasSlow);
        Volatile.Write(ref _hasWriter, 0);
    }

    /// <summary>Begins a write on a thread that may wait for the device; <see cref="EndBlockingWrite"/> follows.</summary>
    public long BeginBlockingWrite()
    {
        long now = Stopwatch.GetTimestamp();
        if (Interlocked.Increment(ref _blockingWrites) == 1)
        {
            Volatile.Write(ref _blockingSince, now);
        }

        return now;
    }

    public void EndBlockingWrite(bool wasSlow)
    {
        Volatile.Write(ref _blockingSince, Stopwatch.GetTimestamp());
        Interlocked.Decrement(ref _blockingWrites);
        if (!wasSlow && Volatile.Read(ref _isSlow))
        {
            Volatile.Write(ref _isSlow, false);
        }
    }

    /// <summary>A device number is reused after unmounting, so the answer is kept for one mount only, and only if its ID is unique.</summary>
    private bool IsOnFuse(int fd, ulong mountId)
    {
        lock (_lock)
        {
            if (mountId != 0 && mountId == _mountId)
            {
                return _isOnFuse;
            }
        }

        bool isOnFuse = Libc.IsOnFuse(fd);
        lock (_lock)
        {
            _mountId = mountId;
            _isOnFuse = isOnFuse;
        }

        return isOnFuse;
    }
}
