using System.Diagnostics.Metrics;
using Sluice.Errors;
using Sluice.Memory;

namespace Sluice.Engines;

/// <summary>
/// The meter "Sluice" (docs/metrics.md). It is made when the first file is opened in a process that has the assembly of meters loaded, or
/// when that is loaded later: a program without one pays neither for it. It is there a moment after that.
/// </summary>
#pragma warning disable CA1001 // The meter lives as long as the library; Close ends it.
internal sealed class SluiceMeter : MetricsWatch
#pragma warning restore CA1001
{
    private const string MetersAssembly = "System.Diagnostics.DiagnosticSource";

    private static int s_isOffered;
    private static int s_isPosted;
    private static bool s_isClosed;
    private static SluiceMeter? s_current;

    private readonly Meter _meter;
    private readonly Instrument _operations;
    private readonly Instrument _bytes;
    private readonly Instrument _queueTime;
    private readonly Instrument _kernelTime;

    private SluiceMeter()
    {
        _meter = new Meter("Sluice", typeof(SluiceMeter).Assembly.GetName().Version?.ToString(3));
        try
        {
            _operations = _meter.CreateObservableCounter(
                "sluice.io.operations", static () => Totals(static t => t.Operations), "{operation}",
                "Transfers that have ended, by verb, caching and who carried them out.");
            _bytes = _meter.CreateObservableCounter(
                "sluice.io.bytes", static () => Totals(static t => t.Bytes), "By", "Bytes that were transferred.");
            _queueTime = _meter.CreateObservableCounter(
                "sluice.io.queue_time", static () => Times(static t => t.Queued), "s",
                "Time in which operations waited: for a thread, a place in a ring, their turn at a file, and to be told of.");
            _kernelTime = _meter.CreateObservableCounter(
                "sluice.io.kernel_time", static () => Times(static t => t.InKernel), "s", "Time in which the kernel had operations.");
            _meter.CreateObservableUpDownCounter(
                "sluice.io.in_flight", InFlight, "{operation}", "Transfers that the kernel has, or a thread is to carry out.");
            _meter.CreateObservableCounter(
                "sluice.io.edge_transfers", static () => IoMetrics.EdgeTransfers, "{operation}",
                "Transfers of direct files that did not begin and end at a block's border.");
            _meter.CreateObservableCounter(
                "sluice.io.read_ahead", ReadAhead, "By", "Bytes that streams and readers were to read before somebody asked for them.");
            _meter.CreateObservableUpDownCounter("sluice.rings", static () => SluiceEngines.RingCount, "{ring}", "Rings that serve.");
            _meter.CreateObservableCounter(
                "sluice.fallbacks", Fell, "{fallback}", "How often something else was used than was asked for, and why.");
            _meter.CreateObservableUpDownCounter(
                "sluice.memory.rented", static () => AlignedBufferPool.RentedBytes, "By", "Aligned memory that is in use.");
            _meter.CreateObservableUpDownCounter(
                "sluice.memory.kept", static () => AlignedBufferPool.KeptBytes, "By", "Aligned memory that waits for its next use.");
        }
        catch
        {
            _meter.Dispose();
            throw;
        }
    }

    /// <summary>Whether listeners can find it.</summary>
    public static bool IsMade => Volatile.Read(ref s_current) is not null;

    public override bool IsWatched => _operations.Enabled || _bytes.Enabled;

    public override bool IsTimed => _queueTime.Enabled || _kernelTime.Enabled;

    /// <summary>Makes the meter as soon as there may be somebody who listens.</summary>
    public static void Offer()
    {
        if (Volatile.Read(ref s_isOffered) == 0 && Interlocked.Exchange(ref s_isOffered, 1) == 0)
        {
            AppDomain.CurrentDomain.AssemblyLoad += OnAssemblyLoad;
            foreach (System.Reflection.Assembly assembly in AppDomain.CurrentDomain.GetAssemblies())
            {
                if (IsMetersAssembly(assembly))
                {
                    Post();
                    break;
                }
            }
        }
    }

    /// <summary>Ends it: the library is being unloaded.</summary>
    public static void Close()
    {
        Volatile.Write(ref s_isOffered, 1);
        Volatile.Write(ref s_isClosed, true);
        AppDomain.CurrentDomain.AssemblyLoad -= OnAssemblyLoad;
        End();
    }

    private static void OnAssemblyLoad(object? sender, AssemblyLoadEventArgs loaded)
    {
        if (IsMetersAssembly(loaded.LoadedAssembly))
        {
            Post();
        }
    }

    private static bool IsMetersAssembly(System.Reflection.Assembly assembly) =>
        assembly.FullName?.StartsWith(MetersAssembly + ",", StringComparison.Ordinal) is true;

    // Listeners are told of new instruments: not on the thread of who opens a file, or loads an assembly.
    private static void Post()
    {
        if (Interlocked.Exchange(ref s_isPosted, 1) == 0)
        {
            AppDomain.CurrentDomain.AssemblyLoad -= OnAssemblyLoad;
            ListenerThread.Post(Make);
        }
    }

    private static void Make()
    {
        SluiceMeter made = new();
        IoMetrics.Watch(made);
        Interlocked.Exchange(ref s_current, made);
        if (Volatile.Read(ref s_isClosed))
        {
            End();
        }
    }

    private static void End()
    {
        IoMetrics.Watch(null);
        Interlocked.Exchange(ref s_current, null)?._meter.Dispose();
    }

    private static IEnumerable<Measurement<long>> Totals(Func<(long Operations, long Bytes), long> value)
    {
        foreach ((string verb, string caching, string carrier, long operations, long bytes) in IoMetrics.Totals())
        {
            KeyValuePair<string, object?> direction = new("disk.io.direction", verb == "read" ? "read" : "write");
            KeyValuePair<string, object?>[] tags =
            [
                new("sluice.io.verb", verb), new("sluice.caching", caching), new("sluice.engine", carrier),
            ];
            yield return new Measurement<long>(value((operations, bytes)), verb == "flush" ? tags : [direction, .. tags]);
        }
    }

    private static IEnumerable<Measurement<double>> Times(Func<(TimeSpan Queued, TimeSpan InKernel), TimeSpan> value) =>
        IoMetrics.Times().Select(t => new Measurement<double>(
            value((t.Queued, t.InKernel)).TotalSeconds, new KeyValuePair<string, object?>("sluice.engine", t.Carrier)));

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
