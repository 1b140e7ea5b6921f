using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Sluice.Errors;

namespace Sluice.Engines;

/// <summary>Who carried a transfer out.</summary>
internal enum Carrier
{
    /// <summary>The thread that called.</summary>
    Inline,
    Uring,
    Pool,
}

/// <summary>
/// Asks whether somebody wants the counts of <see cref="IoMetrics"/>. Apart from the meter, so that its assembly is loaded only by programs
/// that use it.
/// </summary>
internal abstract class MetricsWatch
{
    /// <summary>The one that is asked. Here, because a first transfer asks, and the fields of <see cref="IoMetrics"/> need not be
    /// initialized for that.</summary>
    public static MetricsWatch? Current;

    /// <summary>Whether somebody listens to counts of transfers now.</summary>
    public abstract bool IsWatched { get; }

    /// <summary>Whether somebody listens to their times now.</summary>
    public abstract bool IsTimed { get; }
}

/// <summary>
/// Counts of transfers, kept while somebody listens. Each processor counts for itself; who collects adds up, on its own thread: no code of
/// a listener runs where transfers are made.
/// </summary>
internal static class IoMetrics
{
    public const int Verbs = 4;
    public const int Cachings = 3;
    public const int Carriers = 3;

    /// <summary>1 KiB for each processor.</summary>
    private const int Stride = 128;

    /// <summary>128 bytes for each processor.</summary>
    private const int PoolStride = 16;

    /// <summary>In a processor's row, behind the counts: for each carrier the ticks before and after the kernel, and in it.</summary>
    private const int TimesAt = 2 * Verbs * Cachings * Carriers;

    private static readonly string[] VerbNames = ["read", "write", "append", "flush"];
    private static readonly string[] CachingNames = ["cached", "uncached", "direct"];
    private static readonly string[] CarrierNames = ["inline", "uring", "pool"];

    private static readonly int Processors = (int)BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, 64));
    private static long[]? s_counts;
    private static readonly long[] Pools = new long[(Processors + 1) * PoolStride];
    private static long s_edgeTransfers;
    private static long s_readAheadUsed;
    private static long s_readAheadWasted;

    /// <summary>Transfers that ended with an edge, since the process began.</summary>
    public static long EdgeTransfers => Volatile.Read(ref s_edgeTransfers);

    /// <summary>Bytes that were read before somebody asked for them, and were then taken, since the process began.</summary>
    public static long ReadAheadUsed => Volatile.Read(ref s_readAheadUsed);

    /// <summary>Bytes that were to be read ahead and that nobody took, read by then or not, since the process began.</summary>
    public static long ReadAheadWasted => Volatile.Read(ref s_readAheadWasted);

    /// <summary>Transfers that wait for a thread of the pool, or are carried out by one.</summary>
    public static long Pooled
    {
        get
        {
            long sum = 0;
            for (int p = 1; p <= Processors; p++)
            {
                sum += Volatile.Read(ref Pools[p * PoolStride]);
            }

            return sum;
        }
    }

    /// <summary>The row of this processor: row 0 lies beside the array's length.</summary>
    private static int Row => (Thread.GetCurrentProcessorId() & (Processors - 1)) + 1;

    /// <summary>Whether to count: nothing more than this is asked on a hot path.</summary>
    public static bool IsOn => MetricsWatch.Current is { IsWatched: true };

    /// <summary>Whether to look at the clock, which transfers that wait for nothing do not.</summary>
    public static bool IsTimed => MetricsWatch.Current is { IsTimed: true };

    public static void Watch(MetricsWatch? watch)
    {
        if (watch is not null)
        {
            Volatile.Write(ref s_counts, new long[(Processors + 1) * Stride]);
        }

        Volatile.Write(ref MetricsWatch.Current, watch);
    }

    /// <summary>Notes a transfer that has ended, if somebody listens.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static void Note(OpenFile file, IoVerb verb, Carrier carrier, long bytes)
    {
        if (IsOn)
        {
            Count(file.Caching, verb, carrier, bytes);
        }
    }

    /// <inheritdoc cref="Note(OpenFile, IoVerb, Carrier, long)"/>
    public static void Note(FileCaching caching, IoVerb verb, Carrier carrier, long bytes)
    {
        if (IsOn)
        {
            Count(caching, verb, carrier, bytes);
        }
    }

    /// <summary>Notes how long an operation that has ended was on its way.</summary>
    /// <param name="carrier">Who carried it out.</param>
    /// <param name="queued">Ticks of Stopwatch in which it waited.</param>
    /// <param name="inKernel">Ticks in which the kernel had it.</param>
    public static void NoteTimes(Carrier carrier, long queued, long inKernel)
    {
        if (carrier != Carrier.Inline && Volatile.Read(ref s_counts) is { } counts)
        {
            int at = (Row * Stride) + TimesAt + (2 * (int)carrier);
            Interlocked.Add(ref counts[at], queued);
            Interlocked.Add(ref counts[at + 1], inKernel);
        }
    }

    public static void NoteEdge() => Interlocked.Increment(ref s_edgeTransfers);

    public static void NoteReadAhead(int bytes, bool isUsed) =>
        Interlocked.Add(ref isUsed ? ref s_readAheadUsed : ref s_readAheadWasted, bytes);

    public static void NotePooled(int change) => Interlocked.Add(ref Pools[Row * PoolStride], change);

    /// <summary>What was counted so far: verb, caching, carrier, operations, bytes.</summary>
    public static IEnumerable<(string Verb, string Caching, string Carrier, long Operations, long Bytes)> Totals()
    {
        if (Volatile.Read(ref s_counts) is not { } counts)
        {
            yield break;
        }

        for (int i = 0; i < Verbs * Cachings * Carriers; i++)
        {
            long operations = 0;
            long bytes = 0;
            for (int p = 1; p <= Processors; p++)
            {
                operations += Volatile.Read(ref counts[(p * Stride) + (2 * i)]);
                bytes += Volatile.Read(ref counts[(p * Stride) + (2 * i) + 1]);
            }

            if (operations > 0)
            {
                yield return (VerbNames[i / (Cachings * Carriers)], CachingNames[i / Carriers % Cachings], CarrierNames[i % Carriers],
                    operations, bytes);
            }
        }
    }

    /// <summary>What was noted so far of each carrier that lets operations wait.</summary>
    public static IEnumerable<(string Carrier, TimeSpan Queued, TimeSpan InKernel)> Times()
    {
        if (Volatile.Read(ref s_counts) is not { } counts)
        {
            yield break;
        }

        for (Carrier carrier = Carrier.Uring; carrier <= Carrier.Pool; carrier++)
        {
            long queued = 0;
            long inKernel = 0;
            for (int p = 1; p <= Processors; p++)
            {
                int at = (p * Stride) + TimesAt + (2 * (int)carrier);
                queued += Volatile.Read(ref counts[at]);
                inKernel += Volatile.Read(ref counts[at + 1]);
            }

            yield return (CarrierNames[(int)carrier], Stopwatch.GetElapsedTime(0, queued), Stopwatch.GetElapsedTime(0, inKernel));
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Count(FileCaching caching, IoVerb verb, Carrier carrier, long bytes)
    {
        int row = verb switch
        {
            IoVerb.Read or IoVerb.ReadVector => 0,
            IoVerb.Write or IoVerb.WriteVector => 1,
            IoVerb.Append => 2,
            IoVerb.Flush or IoVerb.FlushData => 3,
            _ => -1,
        };
        if (row < 0)
        {
            return;
        }

        int at = Row * Stride;
        at += 2 * ((((row * Cachings) + (int)caching) * Carriers) + (int)carrier);
        long[] counts = s_counts!;
        Interlocked.Increment(ref counts[at]);
        Interlocked.Add(ref counts[at + 1], Math.Max(bytes, 0));
    }
}
