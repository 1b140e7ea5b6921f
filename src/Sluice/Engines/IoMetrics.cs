using System.Runtime.CompilerServices;
using Sluice.Errors;

namespace Sluice.Engines;

/// <summary>The path that a transfer took.</summary>
internal enum CompletionPath
{
    /// <summary>A system call on the calling thread.</summary>
    Inline,
    Uring,
    Pool,
}

/// <summary>
/// Indicates whether a listener wants the counts of <see cref="IoMetrics"/>. Separate from the meter, so that a program without listeners
/// does not load the assembly of meters.
/// </summary>
internal abstract class MetricsWatch
{
    public static MetricsWatch? Current;

    /// <summary>Returns true if a listener has enabled the counts of transfers.</summary>
    public abstract bool IsWatched { get; }
}

/// <summary>
/// Counts of transfers. Those by verb, caching mode and path are kept only while a listener has enabled them, the others always. The meter
/// reads the counts on the listener's thread, so no code of a listener runs in a transfer. Thread-safe.
/// </summary>
internal static class IoMetrics
{
    private static readonly string[] VerbNames = ["read", "write", "append", "flush"];
    private static readonly string[] CachingNames = ["cached", "uncached", "direct"];
    private static readonly string[] PathNames = ["inline", "uring", "pool"];

    /// <summary>The number of operations and the number of bytes for each verb, caching mode and path.</summary>
    private static readonly long[] Counts = new long[2 * VerbNames.Length * CachingNames.Length * PathNames.Length];
    private static long s_pooled;
    private static long s_edgeTransfers;
    private static long s_readAheadUsed;
    private static long s_readAheadWasted;

    /// <summary>The number of transfers that were not aligned, since the start of the process.</summary>
    public static long EdgeTransfers => Volatile.Read(ref s_edgeTransfers);

    /// <summary>The number of bytes that were read ahead and then requested, since the start of the process.</summary>
    public static long ReadAheadUsed => Volatile.Read(ref s_readAheadUsed);

    /// <summary>The number of bytes that were read ahead and not requested, since the start of the process.</summary>
    public static long ReadAheadWasted => Volatile.Read(ref s_readAheadWasted);

    /// <summary>The number of transfers that run on a pool thread or wait for one.</summary>
    public static long Pooled => Volatile.Read(ref s_pooled);

    /// <summary>Counts a transfer that has ended, if a listener wants it.</summary>
    public static void Note(OpenFile file, IoVerb verb, CompletionPath path, long bytes)
    {
        if (MetricsWatch.Current is { IsWatched: true })
        {
            Count(file.Caching, verb, path, bytes);
        }
    }

    /// <inheritdoc cref="Note(OpenFile, IoVerb, CompletionPath, long)"/>
    public static void Note(FileCaching caching, IoVerb verb, CompletionPath path, long bytes)
    {
        if (MetricsWatch.Current is { IsWatched: true })
        {
            Count(caching, verb, path, bytes);
        }
    }

    public static void NoteEdge() => Interlocked.Increment(ref s_edgeTransfers);

    public static void NoteReadAhead(int bytes, bool isUsed) =>
        Interlocked.Add(ref isUsed ? ref s_readAheadUsed : ref s_readAheadWasted, bytes);

    public static void NotePooled(int change) => Interlocked.Add(ref s_pooled, change);

    /// <summary>Returns the counts that are not 0.</summary>
    public static IEnumerable<(string Verb, string Caching, string Path, long Operations, long Bytes)> Totals()
    {
        for (int i = 0; i < Counts.Length / 2; i++)
        {
            long operations = Volatile.Read(ref Counts[2 * i]);
            if (operations > 0)
            {
                (int row, int path) = Math.DivRem(i, PathNames.Length);
                (int verb, int caching) = Math.DivRem(row, CachingNames.Length);
                yield return (VerbNames[verb], CachingNames[caching], PathNames[path], operations, Volatile.Read(ref Counts[2 * i + 1]));
            }
        }
    }

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Count(FileCaching caching, IoVerb verb, CompletionPath path, long bytes)
    {
        int row = verb switch
        {
            IoVerb.Read or IoVerb.ReadVector => 0,
            IoVerb.Write or IoVerb.WriteVector => 1,
            IoVerb.Append => 2,
            IoVerb.Flush or IoVerb.FlushData => 3,
            _ => -1,
        };
        if (row >= 0)
        {
            int i = 2 * ((row * CachingNames.Length + (int)caching) * PathNames.Length + (int)path);
            Interlocked.Increment(ref Counts[i]);
            Interlocked.Add(ref Counts[i + 1], Math.Max(bytes, 0));
        }
    }
}
