using System.Collections.Concurrent;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;
using OpenTelemetry;
using OpenTelemetry.Exporter;
using OpenTelemetry.Metrics;
using Shouldly;
using Sluice.Clients.Tests.Support;
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
    }

    /// <summary>What a collector gets from the exporter that most programs use, OTLP over HTTP: here a server of the test's own.</summary>
    [Fact]
    public async Task The_OTLP_exporter_sends_what_the_meter_counts()
    {
        ConcurrentQueue<byte[]> received = [];
        WebApplicationBuilder builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseUrls("http://127.0.0.1:0");
        builder.Logging.ClearProviders();
        await using WebApplication collector = builder.Build();
        collector.MapPost("/v1/metrics", async (HttpRequest request) =>
        {
            using MemoryStream body = new();
            await request.Body.CopyToAsync(body);
            received.Enqueue(body.ToArray());
            return Results.Bytes([], "application/x-protobuf");
        });
        await collector.StartAsync();

        string path = Path.GetTempFileName();
        await File.WriteAllBytesAsync(path, new byte[FileBytes]);
        try
        {
            using MeterProvider provider = Sdk.CreateMeterProviderBuilder().AddMeter("Sluice")
                .AddOtlpExporter((exporter, reader) =>
                {
                    exporter.Protocol = OtlpExportProtocol.HttpProtobuf;
                    exporter.Endpoint = new Uri(collector.Urls.Single() + "/v1/metrics");
                    reader.PeriodicExportingMetricReaderOptions.ExportIntervalMilliseconds = Timeout.Infinite;
                }).Build();
            using SluiceHandle file = SluiceHandle.Open(path);
            while (!Export().ContainsKey("sluice.rings"))
            {
                await Task.Delay(10);
            }

            byte[] buffer = new byte[4096];
            for (long at = 0; at < FileBytes; at += buffer.Length)
            {
                (await file.ReadAsync(buffer, at)).ShouldBe(buffer.Length);
            }

            Dictionary<string, (string Unit, long Sum)> exported = Export();
            exported["sluice.io.bytes"].Unit.ShouldBe("By");
            exported["sluice.io.operations"].Unit.ShouldBe("{operation}");
            exported["sluice.io.bytes"].Sum.ShouldBeGreaterThanOrEqualTo(FileBytes);
            exported["sluice.io.operations"].Sum.ShouldBeGreaterThanOrEqualTo(FileBytes / buffer.Length);

            Dictionary<string, (string Unit, long Sum)> Export()
            {
                received.Clear();
                provider.ForceFlush().ShouldBeTrue("the collector has answered");
                return OtlpMetrics.Read(received.ShouldHaveSingleItem());
            }
        }
        finally
        {
            File.Delete(path);
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
