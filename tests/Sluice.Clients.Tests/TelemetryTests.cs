using Microsoft.AspNetCore.Builder;
using Microsoft.Extensions.DependencyInjection;
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

    /// <summary>The line of docs/metrics.md, word for word (a test of the tool's compares them).</summary>
    [Fact]
    public async Task An_application_has_the_meter_by_one_line()
    {
        Collector collector = new();
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.Services.AddOpenTelemetry().WithMetrics(metrics => metrics.AddMeter("Sluice"));
        builder.Services.ConfigureOpenTelemetryMeterProvider(metrics => metrics.AddReader(new BaseExportingMetricReader(collector)));
        await using WebApplication application = builder.Build();
        MeterProvider provider = application.Services.GetRequiredService<MeterProvider>();
        string path = Path.GetTempFileName();
        using SluiceHandle file = SluiceHandle.Open(
            path, new SluiceOptions { Mode = FileMode.Open, Access = FileAccess.ReadWrite, Options = FileOptions.DeleteOnClose });
        do
        {
            provider.ForceFlush().ShouldBeTrue();
        }
        while (!collector.Units.ContainsKey("sluice.rings"));
        await file.WriteAsync(new byte[FileBytes], 0);
        provider.ForceFlush().ShouldBeTrue();
        collector.Sum("sluice.io.bytes", ("disk.io.direction", "write")).ShouldBeGreaterThanOrEqualTo(FileBytes);
        collector.Units.ShouldContainKeyAndValue("sluice.io.bytes", "By");
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
