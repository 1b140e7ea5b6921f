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
            _operations = Add("sluice.io.operations", "{operation}",
                "Transfers that have ended, by verb, caching and who carried them out.",
                (name, unit, text) => _meter.CreateObservableCounter(name, static () => Totals(static t => t.Operations), unit, text));
            _bytes = Add("sluice.io.bytes", "By", "Bytes that were transferred.",
                (name, unit, text) => _meter.CreateObservableCounter(name, static () => Totals(static t => t.Bytes), unit, text));
            _queueTime = Add("sluice.io.queue_time", "s",
                "Time in which operations waited: for a thread, a place in a ring, their turn at a file, and to be told of.",
                (name, unit, text) => _meter.CreateObservableCounter(name, static () => Times(static t => t.Queued), unit, text));
            _kernelTime = Add("sluice.io.kernel_time", "s", "Time in which the kernel had operations.",
                (name, unit, text) => _meter.CreateObservableCounter(name, static () => Times(static t => t.InKernel), unit, text));
            Add("sluice.io.in_flight", "{operation}", "Transfers that the kernel has, or a thread is to carry out.",
                (name, unit, text) => _meter.CreateObservableUpDownCounter(name, InFlight, unit, text));
            Add("sluice.io.edge_transfers", "{operation}", "Transfers of direct files that did not begin and end at a block's border.",
                (name, unit, text) => _meter.CreateObservableCounter(name, static () => IoMetrics.EdgeTransfers, unit, text));
            Add("sluice.io.read_ahead", "By", "Bytes that streams and readers were to read before somebody asked for them.",
                (name, unit, text) => _meter.CreateObservableCounter(name, ReadAhead, unit, text));
            Add("sluice.rings", "{ring}", "Rings that serve.",
                (name, unit, text) => _meter.CreateObservableUpDownCounter(name, static () => SluiceEngines.RingCount, unit, text));
            Add("sluice.fallbacks", "{fallback}", "How often something else was used than was asked for, and why.",
                (name, unit, text) => _meter.CreateObservableCounter(name, Fell, unit, text));
            Add("sluice.memory.rented", "By", "Aligned memory that is in use.",
                (name, unit, text) => _meter.CreateObservableUpDownCounter(name, static () => AlignedBufferPool.RentedBytes, unit, text));
            Add("sluice.memory.kept", "By", "Aligned memory that waits for its next use.",
                (name, unit, text) => _meter.CreateObservableUpDownCounter(name, static () => AlignedBufferPool.KeptBytes, unit, text));
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
            LibraryUnload.Register(Close);
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
    private static void Close()
    {
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

    /// <summary>
    /// Makes an instrument, of which listeners are told at once. One that throws then keeps those behind it from being told, and no more:
    /// the instrument is in the meter, where whoever begins to listen later finds it.
    /// </summary>
    private Instrument Add(string name, string unit, string text, Func<string, string, string, Instrument> make)
    {
        try
        {
            return make(name, unit, text);
        }
        catch (Exception) when (Find(name) is not null)
        {
            return Find(name)!;
        }
    }

    private Instrument? Find(string name)
    {
        Instrument? found = null;
        using MeterListener listener = new()
        {
            InstrumentPublished = (instrument, _) =>
                found = ReferenceEquals(instrument.Meter, _meter) && instrument.Name == name ? instrument : found,
        };
        listener.Start();
        return found;
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
