using System.Diagnostics.Metrics;
using System.Runtime.CompilerServices;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// The meter "Sluice" (docs/metrics.md). A pool thread creates it after the first file was opened, if the process has loaded the assembly
/// of meters, or after that is loaded: a program without listeners does not load it.
/// </summary>
#pragma warning disable CA1001 // The meter lives as long as the process.
internal sealed class SluiceMeter : MetricsWatch
#pragma warning restore CA1001
{
    private const string MetersAssembly = "System.Diagnostics.DiagnosticSource,";

    private static int s_isOffered;
    private static int s_isQueued;
    private static SluiceMeter? s_current;

    private readonly Meter _meter = new("Sluice", typeof(SluiceMeter).Assembly.GetName().Version?.ToString(3));
    private readonly Instrument? _operations;
    private readonly Instrument? _bytes;

    private SluiceMeter()
    {
        // Current is set before the instruments are published, so that a listener misses nothing.
        Volatile.Write(ref Current, this);
        try
        {
            _operations = _meter.CreateObservableCounter(
                "sluice.io.operations", static () => Totals(static t => t.Operations), "{operation}",
                "Transfers and flushes that ended, by verb, caching and engine.");
            _bytes = _meter.CreateObservableCounter("sluice.io.bytes", static () => Totals(static t => t.Bytes), "By",
                "Bytes of these transfers.");
            _meter.CreateObservableUpDownCounter("sluice.io.in_flight", InFlight, "{operation}",
                "Operations that are in a ring, run on a pool thread, or wait for one.");
            _meter.CreateObservableCounter("sluice.io.edge_transfers", static () => IoMetrics.EdgeTransfers, "{operation}",
                "Transfers of direct files that did not consist of whole blocks.");
            _meter.CreateObservableCounter("sluice.io.read_ahead", ReadAhead, "By",
                "Bytes that streams and readers read before the caller requested them.");
            _meter.CreateObservableUpDownCounter("sluice.rings", static () => SluiceEngines.RingCount, "{ring}",
                "Rings in use by the engine.");
            _meter.CreateObservableCounter("sluice.fallbacks", Fell, "{fallback}", "Number of times that a fallback was used, by reason.");
            _meter.CreateObservableUpDownCounter("sluice.memory.rented", static () => AlignedBufferPool.RentedBytes, "By",
                "Aligned memory in use.");
            _meter.CreateObservableUpDownCounter("sluice.memory.kept", static () => AlignedBufferPool.KeptBytes, "By",
                "Unused aligned memory that the pool keeps.");
        }
        catch
        {
            Volatile.Write(ref Current, null);
            _meter.Dispose();
            throw;
        }
    }

    /// <summary>Returns true if listeners can find the meter.</summary>
    public static bool IsMade => Volatile.Read(ref s_current) is not null;

    public override bool IsWatched => _operations is { Enabled: true } || _bytes is { Enabled: true };

    /// <summary>Creates the meter as soon as there can be a listener.</summary>
    public static void Offer()
    {
        if (Volatile.Read(ref s_isOffered) == 0 && Interlocked.Exchange(ref s_isOffered, 1) == 0)
        {
            AppDomain.CurrentDomain.AssemblyLoad += OnAssemblyLoad;
            foreach (System.Reflection.Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
            {
                QueueFor(assembly);
            }
        }
    }

    private static void OnAssemblyLoad(object? sender, AssemblyLoadEventArgs loaded) => QueueFor(loaded.LoadedAssembly);

    /// <summary>
    /// Queues the creation of the meter if the assembly is that of meters. New instruments are reported to listeners, so this is not done
    /// on the thread that opens a file or loads an assembly.
    /// </summary>
    private static void QueueFor(System.Reflection.Assembly assembly)
    {
        if (assembly.FullName?.StartsWith(MetersAssembly, StringComparison.Ordinal) is true
            && Interlocked.Exchange(ref s_isQueued, 1) == 0)
        {
            Queue();
        }
    }

    /// <summary>
    /// Queues the creation of the meter. Not inlined, because the first file of a process would load the assembly of the thread pool with
    /// the calling method.
    /// </summary>
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void Queue()
    {
        AppDomain.CurrentDomain.AssemblyLoad -= OnAssemblyLoad;
        _ = ThreadPool.UnsafeQueueUserWorkItem(static _ => Make(), null);
    }

    private static void Make()
    {
        try
        {
            Volatile.Write(ref s_current, new SluiceMeter());
        }
#pragma warning disable CA1031
        catch (Exception)
        {
            // A listener threw an exception when an instrument was published. There is no meter then.
        }
#pragma warning restore CA1031
    }

    private static IEnumerable<Measurement<long>> Totals(Func<(long Operations, long Bytes), long> value)
    {
        foreach ((string verb, string caching, string path, long operations, long bytes) in IoMetrics.Totals())
        {
            KeyValuePair<string, object?> direction = new("disk.io.direction", verb == "read" ? "read" : "write");
            KeyValuePair<string, object?>[] tags =
            [
                new("sluice.io.verb", verb), new("sluice.caching", caching), new("sluice.engine", path),
            ];
            yield return new Measurement<long>(value((operations, bytes)), verb == "flush" ? tags : [direction, .. tags]);
        }
    }

    private static IEnumerable<Measurement<long>> InFlight() =>
    [
        new(SluiceEngines.InFlight, new KeyValuePair<string, object?>("sluice.engine", "uring")),
        new(IoMetrics.Pooled, new KeyValuePair<string, object?>("sluice.engine", "pool")),
    ];

    private static IEnumerable<Measurement<long>> ReadAhead() =>
    [
        new(IoMetrics.ReadAheadUsed, new KeyValuePair<string, object?>("sluice.read_ahead.outcome", "used")),
        new(IoMetrics.ReadAheadWasted, new KeyValuePair<string, object?>("sluice.read_ahead.outcome", "wasted")),
    ];

    private static IEnumerable<Measurement<long>> Fell() => Fallbacks.All.Select(static f => new Measurement<long>(
        f.Count,
        new KeyValuePair<string, object?>("sluice.fallback.kind", f.Kind),
        new KeyValuePair<string, object?>("sluice.fallback.reason", f.Reason)));
}
