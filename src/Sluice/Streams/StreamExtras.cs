using Sluice.Memory;

namespace Sluice.Streams;

/// <summary>
/// What only some streams need: those that write, append, read ahead, lock or lend their bytes. Taken from a pool when a stream first
/// needs it, and given back when that stream is closed. Like its stream it is not thread-safe; the pool is.
/// </summary>
/// <remarks>
/// One stream owns it between <see cref="Rent"/> and <see cref="Return"/>, and gives it back inside its gate. It also writes what is
/// still in memory when a stream is collected that nobody disposed, as FileStream does; the file's own finalizer is critical and runs
/// later.
/// </remarks>
internal sealed class StreamExtras
{
    /// <summary>What streams need that write, kept for the next ones. No measurement.</summary>
    private const int MaxKept = 64;

    private static readonly Lock PoolLock = new();
    private static StreamExtras? s_first;
    private static int s_kept;

    private SluiceStream? _owner;
    private StreamExtras? _next;
    private byte[]? _oneByte;

    private StreamExtras()
    {
    }

    ~StreamExtras() => _owner?.FlushAtFinalization();

    public OverlapGauge Overlap;

    public ReadAhead? ReadAhead { get; set; }

    public WriteBehind? WriteBehind { get; set; }

    /// <summary>For names and locks; a name is asked for after closing too, so that one that has it is never given back.</summary>
    public FileStream? LockingStream { get; set; }

    /// <summary>Where appending began; -1 where it did not.</summary>
    public long AppendStart { get; set; } = -1;

    /// <summary>Where the window ended of a stream whose closing waited for another thread's copy into it; -1 where it did not. That
    /// thread may ask for it afterwards, so that what has one is never given back.</summary>
    public int SealedEnd { get; set; } = -1;

    public EarlyWriteback Writeback;

    /// <summary>Whether space is reserved before large windows; null until it was asked.</summary>
    public bool? Reserves { get; set; }

    /// <summary>Whether windows that the stream gave up may still wait in <see cref="RetiredMemory"/>.</summary>
    public bool HasRetiredWindow { get; set; }

    public Task<int>? LastRead { get; set; }

    /// <summary>Takes the memory for one byte: nobody else has it until <see cref="GiveOneByte"/>.</summary>
    public byte[] TakeOneByte() => Interlocked.Exchange(ref _oneByte, null) ?? new byte[1];

    /// <summary>Gives it back when no transfer uses it any more, even if this state is another stream's by now.</summary>
    public void GiveOneByte(byte[] one) => Volatile.Write(ref _oneByte, one);

    public static StreamExtras Rent(SluiceStream owner)
    {
        StreamExtras? extras;
        using (PoolLock.EnterUninterrupted())
        {
            extras = s_first;
            if (extras is not null)
            {
                s_first = extras._next;
                s_kept--;
            }
        }

        extras ??= new StreamExtras();
        extras._next = null;
        extras._owner = owner;
        return extras;
    }

    /// <summary>The stream is closed; what it left in flight keeps its own parts alive.</summary>
    public static void Return(StreamExtras extras)
    {
        extras._owner = null;
        if (extras.WriteBehind is { IsPending: true })
        {
            // Left to its transfer, with its buffer.
            extras.WriteBehind = null;
        }

        extras.WriteBehind?.Reset();
        extras.ReadAhead = null;
        extras.AppendStart = -1;
        extras.Reserves = null;
        extras.HasRetiredWindow = false;
        extras.Overlap = default;
        extras.Writeback = default;
        using (PoolLock.EnterUninterrupted())
        {
            if (s_kept < MaxKept)
            {
                extras._next = s_first;
                s_first = extras;
                s_kept++;
            }
        }
    }
}
