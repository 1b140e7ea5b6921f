using System.Diagnostics.Metrics;
using System.Reflection;
using LiteDB;
using Shouldly;
using Xunit;

namespace Sluice.Clients.Tests;

/// <summary>
/// Code that asks whether its stream is a FileStream, and only then flushes it to the disk: LiteDB's own, which is asked here itself. To
/// streams that it is given LiteDB does not come with that question: it has each in a stream of its own (ConcurrentStream).
/// </summary>
public sealed class FlushToDiskTests
{
    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void What_LiteDB_flushes_to_the_disk_is_a_FileStream(bool isFileStream)
    {
        MethodInfo flush = typeof(LiteDatabase).Assembly.GetType("LiteDB.StreamExtensions", throwOnError: true)!
            .GetMethod("FlushToDisk", BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Static)!;
        string path = Path.GetTempFileName();
        try
        {
            using FlushCount flushes = new();
            using SluiceStream own = new(path, FileMode.Open, FileAccess.ReadWrite, FileShare.ReadWrite);
            while (!flushes.IsListening)
            {
                // A pool thread creates the meter after the process has opened its first file.
                Thread.Sleep(10);
            }

            long before = flushes.Count();
            using Stream stream = isFileStream ? own.AsFileStream() : own;
            stream.Write("accepted"u8);
            flush.Invoke(null, [stream]);
            flushes.Count().ShouldBe(before + (isFileStream ? 1 : 0));
            using FileStream other = new(path, FileMode.Open, FileAccess.Read, FileShare.ReadWrite);
            other.Length.ShouldBe("accepted".Length);
        }
        finally
        {
            File.Delete(path);
        }
    }

    /// <summary>Flushes to the disk of this process, as the meter "Sluice" counts them; no other test here makes any.</summary>
    private sealed class FlushCount : IDisposable
    {
        private readonly MeterListener _listener = new();
        private volatile bool _isListening;
        private long _count;

        public FlushCount()
        {
            _listener.InstrumentPublished = (instrument, listener) =>
            {
                if (instrument is { Name: "sluice.io.operations", Meter.Name: "Sluice" })
                {
                    listener.EnableMeasurementEvents(instrument);
                }

                // The last instrument: all are published.
                _isListening |= instrument is { Name: "sluice.memory.kept", Meter.Name: "Sluice" };
            };
            _listener.SetMeasurementEventCallback<long>((_, value, tags, _) =>
            {
                foreach (KeyValuePair<string, object?> tag in tags)
                {
                    _count += tag is { Key: "sluice.io.verb", Value: "flush" } ? value : 0;
                }
            });
            _listener.Start();
        }

        public bool IsListening => _isListening;

        public void Dispose() => _listener.Dispose();

        public long Count()
        {
            _count = 0;
            _listener.RecordObservableInstruments();
            return _count;
        }
    }
}
