using System.Diagnostics.Metrics;
using System.Diagnostics.Tracing;
using System.IO.Pipes;
using Microsoft.Win32.SafeHandles;
using Sluice.Engines;
using Sluice.Errors;

namespace Sluice.Hostile.Tests.Seams;

/// <summary>Who listens to the meter and the event source, and does there what he should not; each a program of its own.</summary>
internal static class Listeners
{
    private const int Block = 4096;
    private const int Blocks = 16;
    private const int Rounds = 300;

    private static readonly byte[] Content = Bytes.Pattern(Block * Blocks);

    public static async Task<int> RunAsync(string folder, string kind)
    {
        string path = Path.Combine(folder, "file");
        await File.WriteAllBytesAsync(path, Content);
        using MeterListener hostile = new();
        hostile.InstrumentPublished = (instrument, listener) =>
        {
            if (instrument.Meter.Name == "Sluice")
            {
                Misbehave(kind, path);
                listener.EnableMeasurementEvents(instrument);
            }
        };
        hostile.SetMeasurementEventCallback<long>((_, _, _, _) => Misbehave(kind, path));
        hostile.Start();
        using Events events = new(kind, path);
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
        await ReadAsync(file);
        string reason = $"a test says so {Guid.NewGuid():N}";
        Fallbacks.Note(Fallbacks.Caching, reason, path);
        if (kind == "blocks")
        {
            // The others wait behind it; no transfer does.
            await ReadAsync(file);
            return 0;
        }

        await WaitForAsync(() => SluiceMeter.IsMade);
        await WaitForAsync(() => events.Seen.Contains(reason, StringComparison.Ordinal));
        using Counts counts = new();
        counts.Names.Count.ShouldBe(11);
        if (kind == "comes and goes")
        {
            await ComeAndGoAsync(file);
        }

        long operations = counts.Of("sluice.io.operations", "read");
        long bytes = counts.Of("sluice.io.bytes", "read");
        await ReadAsync(file);
        (counts.Of("sluice.io.operations", "read") - operations).ShouldBe(2 * Blocks);
        (counts.Of("sluice.io.bytes", "read") - bytes).ShouldBe(2 * Content.Length);
        return 0;
    }

    /// <summary>What is counted of transfers that fail, are cancelled, or are never begun; nobody else transfers here.</summary>
    public static async Task<int> CountAsync(string folder)
    {
        string path = Path.Combine(folder, "file");
        await File.WriteAllBytesAsync(path, Content);
        using Counts counts = new();
        using SluiceHandle file = SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite);
        await WaitForAsync(() => SluiceMeter.IsMade);
        long before = counts.Of("sluice.io.operations");
        long rented = counts.Of("sluice.memory.rented");
        long bytes = counts.Of("sluice.io.bytes");

        // Begun by an engine, and failed there, and never begun.
        using SluiceHandle writeOnly = SluiceHandle.Open(path, FileMode.Open, FileAccess.Write);
        byte[] buffer = new byte[Block];
        for (int i = 0; i < 10; i++)
        {
            await Should.ThrowAsync<UnauthorizedAccessException>(async () => await writeOnly.ReadAsync(buffer, 0));
            Should.Throw<UnauthorizedAccessException>(() => writeOnly.Read(buffer, 0));
            await Should.ThrowAsync<OperationCanceledException>(
                async () => await file.ReadAsync(buffer, 0, new CancellationToken(canceled: true)));
            Should.Throw<ArgumentOutOfRangeException>(() => file.Read(buffer, -1));
        }

        (counts.Of("sluice.io.operations") - before).ShouldBe(10, counts.Text);

        // Cancelled in flight: what waits for the bytes of a pipe.
        using AnonymousPipeServerStream writing = new(PipeDirection.Out);
        using SafeFileHandle reading = new(writing.ClientSafePipeHandle.DangerousGetHandle(), ownsHandle: false);
        using SluiceHandle pipe = SluiceHandle.FromSafeFileHandle(reading, FileAccess.Read, ownsHandle: false);
        long transferred = 0;
        for (int i = 0; i < 10; i++)
        {
            using CancellationTokenSource source = new();
            Task<int> read = pipe.ReadAsync(buffer, 0, source.Token).AsTask();
            source.Cancel();
            if (file.EngineName != "uring")
            {
                // A call of a thread ends with its bytes; those of a call that was cancelled before it began are the next one's.
                writing.WriteByte(1);
            }

            Exception? error = await Record.ExceptionAsync(() => read);
            (error is null or OperationCanceledException).ShouldBeTrue(error?.ToString());
            transferred += error is null ? await read : 0;
        }

        (counts.Of("sluice.io.operations") - before).ShouldBe(20, counts.Text);
        (counts.Of("sluice.io.bytes") - bytes).ShouldBe(transferred, counts.Text);

        // A batch is as many transfers as it has requests.
        ReadRequest[] requests = [new(0, buffer), new(Content.Length - 100, new byte[Block]), new(Block, new byte[Block])];
        file.ReadBatch(requests);
        (counts.Of("sluice.io.bytes") - bytes).ShouldBe(transferred + (2 * Block) + 100, counts.Text);
        (counts.Of("sluice.io.operations") - before).ShouldBe(23, counts.Text);
        await WaitForAsync(() => counts.Of("sluice.io.in_flight") == 0);
        counts.Of("sluice.memory.rented").ShouldBe(rented);
        return 0;
    }

    private static void Misbehave(string kind, string path)
    {
        switch (kind)
        {
            case "blocks":
                Thread.Sleep(Timeout.Infinite);
                break;
            case "reads":
                using (SluiceHandle other = SluiceHandle.Open(path))
                {
                    byte[] block = new byte[Block];
                    other.ReadAsync(block, Block).AsTask().GetAwaiter().GetResult().ShouldBe(Block);
                    block.AsSpan().SequenceEqual(Content.AsSpan(Block, Block)).ShouldBeTrue();
                }

                break;
        }
    }

    /// <summary>Every block, by both ways.</summary>
    private static async Task ReadAsync(SluiceHandle file)
    {
        for (int i = 0; i < Blocks; i++)
        {
            byte[] block = new byte[Block];
            (await file.ReadAsync(block, i * Block).AsTask().WaitAsync(Watchdog.Patience)).ShouldBe(Block);
            block.AsSpan().SequenceEqual(Content.AsSpan(i * Block, Block)).ShouldBeTrue();
            block.AsSpan().Clear();
            file.Read(block, i * Block).ShouldBe(Block);
            block.AsSpan().SequenceEqual(Content.AsSpan(i * Block, Block)).ShouldBeTrue();
        }
    }

    private static async Task ComeAndGoAsync(SluiceHandle file)
    {
        Task[] listening = [.. Enumerable.Range(0, 3).Select(_ => Task.Run(() =>
        {
            for (int i = 0; i < Rounds; i++)
            {
                using Counts counts = new();
                counts.Of("sluice.io.operations").ShouldBeGreaterThanOrEqualTo(0);
            }
        }))];
        while (!Task.WhenAll(listening).IsCompleted)
        {
            await ReadAsync(file);
        }

        await Task.WhenAll(listening);
    }

    private static async Task WaitForAsync(Func<bool> isSo)
    {
        for (int i = 0; i < 12_000 && !isSo(); i++)
        {
            await Task.Delay(10);
        }

        isSo().ShouldBeTrue();
    }

    /// <summary>A listener that does what is right.</summary>
    private sealed class Counts : IDisposable
    {
        private readonly MeterListener _listener = new();
        private readonly Dictionary<string, long> _values = [];

        public Counts()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument.Meter.Name == "Sluice")
                {
                    Names.Add(instrument.Name);
                    listener.EnableMeasurementEvents(instrument);
                }
            };
            _listener.SetMeasurementEventCallback<long>((instrument, value, tags, _) =>
                _values[string.Join(' ', [instrument.Name, .. tags.ToArray().Select(static t => $"{t.Value}")])] = value);
            _listener.Start();
        }

        public HashSet<string> Names { get; } = [];

        public string Text => string.Join('\n', _values.Select(static v => $"{v.Key}: {v.Value}"));

        public void Dispose() => _listener.Dispose();

        /// <summary>The sum of an instrument's values that have an attribute of this value.</summary>
        public long Of(string name, string? attribute = null)
        {
            _listener.RecordObservableInstruments();
            return _values.Where(v => v.Key.Split(' ')[0] == name && (attribute is null || v.Key.Split(' ').Skip(1).Contains(attribute)))
                .Sum(static v => v.Value);
        }
    }

    private sealed class Events(string kind, string path) : EventListener
    {
        private volatile string _seen = "";

        public string Seen => _seen;

        protected override void OnEventSourceCreated(EventSource eventSource)
        {
            if (eventSource.Name == "Sluice")
            {
                EnableEvents(eventSource, EventLevel.Informational);
            }
        }

        protected override void OnEventWritten(EventWrittenEventArgs eventData)
        {
            _seen += string.Join(' ', eventData.Payload ?? (IReadOnlyList<object?>)[]);
            Misbehave(kind, path);
        }
    }
}
