using System.Diagnostics.Metrics;

namespace Sluice.Cli.Load;

/// <summary>A value of the meter "Sluice" at the end of a run.</summary>
internal sealed record MetricValue(string Name, string Unit, string Attributes, double Value);

/// <summary>Listens to the meter "Sluice" from the creation of this object; see docs/metrics.md.</summary>
internal sealed class MetricsListener : IDisposable
{
    private readonly MeterListener _listener = new();
    private readonly List<MetricValue> _values = [];

    public MetricsListener()
    {
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Sluice")
                listener.EnableMeasurementEvents(instrument);
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.SetMeasurementEventCallback<double>((instrument, value, tags, _) => Note(instrument, value, tags));
        _listener.Start();
    }

    /// <summary>Returns the current values.</summary>
    public IReadOnlyList<MetricValue> Collect()
    {
        _values.Clear();
        _listener.RecordObservableInstruments();
        return [.. _values.OrderBy(static v => v.Name, StringComparer.Ordinal)];
    }

    private void Note(Instrument instrument, double value, ReadOnlySpan<KeyValuePair<string, object?>> tags) => _values.Add(
        new MetricValue(
            instrument.Name, instrument.Unit ?? "", string.Join(", ", tags.ToArray().Select(static t => $"{t.Key}={t.Value}")), value));

    public void Dispose() => _listener.Dispose();
}
