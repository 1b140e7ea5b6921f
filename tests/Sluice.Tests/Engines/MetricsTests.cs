using System.Collections.Concurrent;
using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using Sluice.Engines;
using Sluice.Errors;

namespace Sluice.Tests.Engines;

/// <summary>The meter and the event source "Sluice".</summary>
public sealed class MetricsTests : IDisposable
{
    private readonly string _path = Path.Combine(Path.GetTempPath(), $"sluice-metrics-{Guid.NewGuid():N}");
    private readonly MeterListener _listener = new();
    private readonly ConcurrentDictionary<string, long> _measured = new();

    public MetricsTests()
    {
        File.WriteAllBytes(_path, new byte[256 * 1024]);
        _listener.InstrumentPublished = static (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Sluice")
            {
                listener.EnableMeasurementEvents(instrument);
            }
        };
        _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
            _measured[instrument.Name + string.Concat(tags.ToArray().Select(static t => $" {t.Key}={t.Value}"))] = value);
        _listener.Start();
        using (SluiceHandle.Open(_path))
        {
            // Made with the first file of the process, on a thread of its own.
            SpinWait.SpinUntil(static () => SluiceMeter.IsMade, 120_000).ShouldBeTrue();
        }
    }

    public void Dispose()
    {
        _listener.Dispose();
        File.Delete(_path);
    }

    /// <summary>The sum of what stands under names that begin so and have all of these parts.</summary>
    private long Of(string name, params string[] parts)
    {
        _listener.RecordObservableInstruments();
        return _measured.Where(m => m.Key.Split(' ')[0] == name && parts.All(p => m.Key.Split(' ').Contains(p))).Sum(static m => m.Value);
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Transfers_are_counted_by_verb_caching_and_carrier(bool isDirect)
    {
        using SluiceHandle file = SluiceHandle.Open(
            _path, FileMode.Open, FileAccess.ReadWrite, caching: isDirect ? FileCaching.Direct : FileCaching.Cached);
        string caching = "sluice.caching=" + file.Caching.ToString().ToLowerInvariant();
        long reads = Of("sluice.io.operations", "sluice.io.verb=read", caching);
        long readBytes = Of("sluice.io.bytes", "disk.io.direction=read", caching);
        long writes = Of("sluice.io.operations", "sluice.io.verb=write", caching);
        long appends = Of("sluice.io.operations", "sluice.io.verb=append", caching);
        long flushes = Of("sluice.io.operations", "sluice.io.verb=flush", caching);
        byte[] buffer = new byte[4096];
        for (int i = 0; i < 200; i++)
        {
            file.Read(buffer, 4096 * (i % 10)).ShouldBe(4096);
            (await file.ReadAsync(buffer, 4096 * (i % 10))).ShouldBe(4096);
        }

        for (int i = 0; i < 10; i++)
        {
            file.Write(buffer, 0);
            await file.WriteAsync(buffer, 4096);
            await file.ReadAsync([buffer.AsMemory(0, 1024), buffer.AsMemory(1024)], 0);
            await file.AppendAsync(buffer);
            await file.FlushToDiskAsync();
            file.FlushDataToDisk();
        }

        (Of("sluice.io.operations", "sluice.io.verb=read", caching) - reads).ShouldBeGreaterThanOrEqualTo(410);
        (Of("sluice.io.bytes", "disk.io.direction=read", caching) - readBytes).ShouldBeGreaterThanOrEqualTo(410 * 4096);
        (Of("sluice.io.operations", "sluice.io.verb=write", caching) - writes).ShouldBeGreaterThanOrEqualTo(20);
        (Of("sluice.io.operations", "sluice.io.verb=append", caching) - appends).ShouldBeGreaterThanOrEqualTo(10);
        (Of("sluice.io.operations", "sluice.io.verb=flush", caching) - flushes).ShouldBeGreaterThanOrEqualTo(20);
        if (isDirect && file.Caching == FileCaching.Direct)
        {
            // Beside long continuations, by the pool as well.
            (Of("sluice.io.operations", "sluice.io.verb=read", caching, "sluice.engine=uring")
                + Of("sluice.io.operations", "sluice.io.verb=read", caching, "sluice.engine=pool")).ShouldBeGreaterThanOrEqualTo(200);
        }
    }

    [SkippableFact]
    public async Task Transfers_with_edges_are_counted_by_the_handle()
    {
        using SluiceHandle file = SluiceHandle.Open(_path, FileMode.Open, FileAccess.ReadWrite, caching: FileCaching.Direct);
        Skip.If(file.Caching != FileCaching.Direct, file.CachingReason);
        long before = Of("sluice.io.edge_transfers");
        byte[] buffer = new byte[8192];
        file.Read(buffer.AsSpan(0, 100), 5);
        await file.ReadAsync(buffer.AsMemory(0, 4096), 4097);
        file.Write(buffer.AsSpan(0, 10), 4090);
        await file.WriteAsync(buffer.AsMemory(0, 5000), 100);
        file.EdgeTransfers.ShouldBe(4);
        await file.ReadAsync(buffer, 4096);
        await file.WriteAsync(buffer, 4096);
        file.EdgeTransfers.ShouldBe(4);
        (Of("sluice.io.edge_transfers") - before).ShouldBeGreaterThanOrEqualTo(4);
        using SluiceHandle cached = SluiceHandle.Open(_path);
        cached.Read(buffer.AsSpan(0, 100), 5);
        cached.EdgeTransfers.ShouldBe(0);
    }

    [SkippableFact]
    public async Task Appends_with_edges_are_counted_by_the_handle()
    {
        using SluiceHandle file =
            SluiceHandle.Open(_path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite, caching: FileCaching.Direct);
        Skip.If(file.Caching != FileCaching.Direct, file.CachingReason);
        long before = Of("sluice.io.edge_transfers");
        byte[] buffer = new byte[4096];
        file.Append(buffer);
        await file.AppendAsync(buffer);
        file.Append([]);
        file.EdgeTransfers.ShouldBe(0, "blocks behind blocks, and nothing");
        file.Append(buffer.AsSpan(0, 100));
        file.EdgeTransfers.ShouldBe(1, "it ended inside a block");
        await file.AppendAsync(buffer.AsMemory(0, 1001));
        file.EdgeTransfers.ShouldBe(2);
        file.Append(buffer.AsSpan(0, 4096 - 1101));
        file.EdgeTransfers.ShouldBe(3, "it began inside a block");
        file.Append(buffer);
        file.Append([]);
        file.EdgeTransfers.ShouldBe(3);
        (Of("sluice.io.edge_transfers") - before).ShouldBeGreaterThanOrEqualTo(3);
        using SluiceHandle cached = SluiceHandle.Open(_path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
        cached.Append(buffer.AsSpan(0, 100));
        cached.EdgeTransfers.ShouldBe(0);
    }

    [SkippableFact]
    public async Task What_is_read_ahead_is_used_or_wasted()
    {
        const int Block = 8192;
        await using SluiceReader reader = new(
            _path, new SluiceReaderOptions { Caching = FileCaching.Direct, RequestSize = Block, Depth = 4 });
        Skip.If(reader.SluiceHandle.Caching != FileCaching.Direct, reader.SluiceHandle.CachingReason);
        (await reader.ReadBlockAsync()).Length.ShouldBe(Block);
        long used = Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=used");
        long wasted = Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=wasted");
        (await reader.ReadBlockAsync()).Length.ShouldBe(Block);
        (await reader.ReadBlockAsync()).Length.ShouldBe(Block);
        (Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=used") - used).ShouldBeGreaterThanOrEqualTo(2 * Block);
        reader.Dispose();
        (Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=wasted") - wasted).ShouldBeGreaterThanOrEqualTo(3 * Block);
    }

    [Fact]
    public async Task What_a_stream_reads_ahead_is_used_or_wasted()
    {
        long used = Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=used");
        long wasted = Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=wasted");
        byte[] buffer = new byte[1000];

        // More than all that is read ahead at once.
        using (FileStream file = new(_path, FileMode.Open))
        {
            file.SetLength(32 << 20);
        }

        await using SluiceStream stream = new(
            _path, new SluiceOptions { Access = FileAccess.Read, Caching = FileCaching.Direct, Options = FileOptions.Asynchronous });
        for (int i = 0; i < 100; i++)
        {
            (await stream.ReadAsync(buffer)).ShouldBe(buffer.Length);
        }

        stream.Position = 0;
        (await stream.ReadAsync(buffer)).ShouldBe(buffer.Length);
        await stream.DisposeAsync();
        (Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=used") - used).ShouldBeGreaterThan(0);
        (Of("sluice.io.read_ahead", "sluice.read_ahead.outcome=wasted") - wasted).ShouldBeGreaterThan(0);
    }

    [Fact]
    public void What_is_there_now_can_be_asked()
    {
        using SluiceHandle file = SluiceHandle.Open(_path);
        SpinWait.SpinUntil(() => Of("sluice.io.in_flight") >= 0, 120_000).ShouldBeTrue();
        bool isRing = file.EngineName == "uring";
        (Of("sluice.rings") > 0).ShouldBe(isRing);
        long before = Of("sluice.memory.rented");
        Memory.MemoryLease lease = Memory.AlignedBufferPool.Rent(512 * 1024);

        // Exact while nobody rents or returns, as other tests do meanwhile.
        SpinWait.SpinUntil(() => Of("sluice.memory.rented") > 0, 120_000).ShouldBeTrue();
        lease.Return();
        before.ShouldBeGreaterThanOrEqualTo(0);
    }

    [Fact]
    public async Task A_fallback_is_counted_each_time_and_told_once()
    {
        using EventListenerOf events = new();
        string reason = $"a test says so {Guid.NewGuid():N}";
        for (int i = 0; i < 3; i++)
        {
            Fallbacks.Note(Fallbacks.Caching, reason, _path);
        }

        for (int i = 0; i < 2400 && !events.Seen.Any(e => e.Contains(reason, StringComparison.Ordinal)); i++)
        {
            await Task.Delay(50);
        }

        events.Seen.Count(e => e.Contains(reason, StringComparison.Ordinal)).ShouldBe(1);
        using SluiceHandle file = SluiceHandle.Open(_path);
        _listener.RecordObservableInstruments();
        _measured.Single(m => m.Key.Contains(reason, StringComparison.Ordinal)).Value.ShouldBe(3);
    }

    [SkippableFact]
    public void A_file_system_without_direct_files_is_a_fallback()
    {
        const string inMemory = "/proc/self/stat";
        Skip.IfNot(File.Exists(inMemory), "No /proc here.");
        using SluiceHandle file = SluiceHandle.Open(inMemory, caching: FileCaching.Direct);
        file.Caching.ShouldBe(FileCaching.Cached);
        Fallbacks.All.ShouldContain(f => f.Kind == Fallbacks.Caching && f.Reason == file.CachingReason);
    }

    private sealed class EventListenerOf : EventListener
    {
        public ConcurrentQueue<string> Seen { get; } = new();

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Sluice")
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData) =>
            Seen?.Enqueue(string.Join(' ', eventData.Payload ?? (IReadOnlyList<object?>)[]));
    }
}
