using OpenTelemetry;
using OpenTelemetry.Metrics;
using Shouldly;
using Xunit;

namespace Sluice.Clients.Tests;

/// <summary>
/// OpenTelemetry's own SDK finds the meter "Sluice" by its name, and exports what it counts with its units and attributes.
/// </summary>
public sealed class TelemetryTests
{
    private const int FileBytes = 256 * 1024;

    [Fact]
    public async Task OpenTelemetry_exports_what_the_meter_counts()
    {
        string path = Path.GetTempFileName();
        await File.WriteAllBytesAsync(path, new byte[FileBytes]);
        Collector collector = new();
        try
        {
            using MeterProvider provider = Sdk.CreateMeterProviderBuilder().AddMeter("Sluice")
                .AddReader(new BaseExportingMetricReader(collector)).Build();

            // The meter is made on a thread of its own with the first file of the process.
            using SluiceHandle file = SluiceHandle.Open(path);
            while (!Collect(provider).ContainsKey("sluice.rings"))
            {
                await Task.Delay(10);
            }

            byte[] buffer = new byte[4096];
            for (long at = 0; at < FileBytes; at += buffer.Length)
            {
                (await file.ReadAsync(buffer, at)).ShouldBe(buffer.Length);
            }

            // Other tests transfer meanwhile: this is the least that there is.
            Sum("sluice.io.bytes").ShouldBeGreaterThanOrEqualTo(FileBytes);
            collector.Units.ShouldContainKeyAndValue("sluice.io.bytes", "By");
            collector.Units.ShouldContainKeyAndValue("sluice.io.queue_time", "s");
            collector.Units.ShouldContainKeyAndValue("sluice.io.kernel_time", "s");
            collector.Units.ShouldContainKeyAndValue("sluice.io.operations", "{operation}");
            Sum("sluice.io.operations").ShouldBeGreaterThanOrEqualTo(FileBytes / buffer.Length);

            double Sum(string name)
            {
                _ = Collect(provider);
                return collector.Sum(name, ("disk.io.direction", "read"), ("sluice.io.verb", "read"), ("sluice.caching", "cached"));
            }
        }
        finally
        {
            File.Delete(path);
        }

        Dictionary<string, string> Collect(MeterProvider provider)
        {
            provider.ForceFlush().ShouldBeTrue();
            return collector.Units;
        }
    }

    /// <summary>Keeps what was exported last; sums are cumulative.</summary>
    private sealed class Collector : BaseExporter<Metric>
    {
        private readonly List<(string Name, Dictionary<string, object?> Tags, double Value)> _points = [];

        public Dictionary<string, string> Units { get; private set; } = [];

        public double Sum(string name, params (string Key, string Value)[] tags) =>
            _points.Where(p => p.Name == name && tags.All(t => p.Tags.TryGetValue(t.Key, out object? value) && Equals(value, t.Value)))
                .Sum(p => p.Value);

        public override ExportResult Export(in Batch<Metric> batch)
        {
            _points.Clear();
            Dictionary<string, string> units = [];
            foreach (Metric metric in batch)
            {
                units[metric.Name] = metric.Unit;
                foreach (ref readonly MetricPoint point in metric.GetMetricPoints())
                {
                    Dictionary<string, object?> tags = [];
                    foreach (KeyValuePair<string, object?> tag in point.Tags)
                    {
                        tags[tag.Key] = tag.Value;
                    }

                    double value = metric.MetricType == MetricType.DoubleSum ? point.GetSumDouble() : point.GetSumLong();
                    _points.Add((metric.Name, tags, value));
                }
            }

            Units = units;
            return ExportResult.Success;
        }
    }
}
