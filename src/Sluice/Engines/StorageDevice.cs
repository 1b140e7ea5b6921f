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
/// Several threads make such writes at once while the device answers: while a write to it ended less than 1 ms ago. If none has, a thread
/// writes only if no other write is outstanding. A device that stops responding therefore holds the callers that begin within 1 ms of its
/// last answer, and one caller at most if it was idle before. All others use pool threads. They do so too after two slow writes in a row,
/// until one was fast; one slow write may be a thread that lost its processor.
/// </remarks>
internal sealed class StorageDevice
{
    /// <summary>The time that a write may take in addition to copying its bytes. A hop to the pool takes 5 to 10 us.</summary>
    private const int SlowMicroseconds = 100;

    /// <summary>A conservative rate of copies into the page cache: 500 to 1,000 MB/s if a host has to provide the pages.</summary>
    private const int BytesPerMicrosecond = 1000;

    /// <summary>The number of consecutive slow writes after which no write is made on a caller's thread.</summary>
    public const byte MaxSlowWrites = 2;

    /// <summary>The time after the end of a write for which the device is known to respond.</summary>
    private const int RespondingMicroseconds = 1000;

    private static readonly long TicksOfMicrosecond = Math.Max(1, Stopwatch.Frequency / 1_000_000);
    private static readonly ConcurrentDictionary<ulong, StorageDevice> Devices = [];

    private readonly Lock _lock = new();
    private ulong _mountId;
    private bool _isOnFuse;

    private byte _slowWrites;
    private int _outstanding;
    private long _lastEnd;

    /// <summary>Gets the threads for blocking calls. They are used only if the device is FUSE.</summary>
    public FuseThreads FuseThreads { get; } = new();

    /// <summary>Returns the device of an open file. Does not wait for a server or a FUSE program if the kernel has statmount(2).</summary>
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
    /// <param name="elapsed">The duration of the write, in ticks of <see cref="Stopwatch"/>.</param>
    /// <param name="length">The number of bytes.</param>
    public static bool IsSlow(long elapsed, int length) =>
        elapsed > (SlowMicroseconds + (length / BytesPerMicrosecond)) * TicksOfMicrosecond;

    /// <summary>Returns the new number of consecutive slow writes, up to <see cref="MaxSlowWrites"/>.</summary>
    public static byte CountSlow(byte slowWrites, bool wasSlow) => wasSlow ? (byte)Math.Min(slowWrites + 1, MaxSlowWrites) : (byte)0;

    /// <summary>
    /// Returns true if the calling thread may write; <see cref="EndWrite"/> or <see cref="AbandonWrite"/> follows. Does not wait.
    /// </summary>
    /// <param name="now">A timestamp of <see cref="Stopwatch"/>.</param>
    public bool TryBeginWrite(long now)
    {
        if (Volatile.Read(ref _slowWrites) == MaxSlowWrites)
        {
            return false;
        }

        if (now - Volatile.Read(ref _lastEnd) >= RespondingMicroseconds * TicksOfMicrosecond)
        {
            return Interlocked.CompareExchange(ref _outstanding, 1, 0) == 0;
        }

        Interlocked.Increment(ref _outstanding);
        return true;
    }

    public void EndWrite(long now, bool wasSlow)
    {
        Volatile.Write(ref _slowWrites, CountSlow(_slowWrites, wasSlow));
        End(now);
    }

    /// <summary>Ends a write that wrote nothing, in place of <see cref="EndWrite"/>.</summary>
    public void AbandonWrite() => Interlocked.Decrement(ref _outstanding);

    /// <summary>Begins a write on a thread that may wait for the device; <see cref="EndBlockingWrite"/> follows.</summary>
    public void BeginBlockingWrite() => Interlocked.Increment(ref _outstanding);

    public void EndBlockingWrite(long now, bool wasSlow)
    {
        if (!wasSlow)
        {
            Volatile.Write(ref _slowWrites, 0);
        }

        End(now);
    }

    private void End(long now)
    {
        Volatile.Write(ref _lastEnd, now);
        Interlocked.Decrement(ref _outstanding);
    }

    /// <summary>
    /// Returns true if the file is on FUSE. A device number is reused after unmounting, so the answer is kept for one mount only, and only
    /// if its ID is unique.
    /// </summary>
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
