namespace Sluice.Log.Tests;

/// <summary>Beside those who append as fast as they can nobody waits as long as they go on, and what need not be kept goes.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
[Collection(nameof(AloneCollection))]
public sealed class FloodTests
{
    private const int RetainedSegments = 3;

    private static readonly TimeSpan Patience = TimeSpan.FromMinutes(1);

    [Theory]
    [InlineData(LogDurability.Written)]
    [InlineData(LogDurability.Durable)]
    public async Task An_append_beside_a_flood_is_acknowledged_while_it_lasts(LogDurability durability)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions { RetainSegments = RetainedSegments });
        using Flood flood = new(log, threads: 2, recordBytes: 65536);
        await Task.Run(() =>
        {
            for (int i = 0; i < 3; i++)
            {
                _ = log.Append(Records.Make(9, i, 100), durability);
            }
        }).WaitAsync(Patience);
        flood.End();
    }

    [Theory]
    [InlineData(4, 100)]
    [InlineData(1, 10_000)]
    public async Task A_tail_is_dropped_beside_a_flood(int threads, int recordBytes)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open();
        log.AppendMany(0, 10, durability: LogDurability.Durable);

        using Flood flood = new(log, threads, recordBytes);
        await Task.Run(() => log.TruncateAfter(5)).WaitAsync(Patience);
        flood.End();
        log.Flush();
        List<(long Sequence, byte[] Bytes)> all = folder.ReadAll();
        all.Select(static r => r.Sequence).ShouldBe(Enumerable.Range(1, (int)log.DurableSequence).Select(static n => (long)n));
        all.Take(5).Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0, 1, 2, 3, 4]);
    }

    /// <summary>Full segments that are not on the disk yet are not removed, and they are not many: who fills them waits.</summary>
    [Theory]
    [InlineData(LogFormat.Framed)]
    [InlineData(LogFormat.Raw)]
    public async Task No_more_is_kept_beside_a_flood_than_is_asked_for_and_waits_for_the_disk(LogFormat format)
    {
        using TempFolder folder = new();
        using SluiceLog log = folder.Open(new SluiceLogOptions
        {
            Format = format,
            SegmentBytes = 65536,
            MaxRecordBytes = 4096,
            BufferBytes = 65536,
            RetainSegments = RetainedSegments,
            Preallocate = false,
        });
        int most = 0;
        using (Flood flood = new(log, threads: 4, recordBytes: 500))
        {
            while (flood.Appended < 200_000)
            {
                flood.Error.ShouldBeNull();
                most = Math.Max(most, folder.Files.Length);
                await Task.Delay(1);
            }

            flood.End();
        }

        // What waits, what is kept, what others filled while one of them saw that, the state and the next one.
        most.ShouldBeLessThan(RetainedSegments + (4 * Kernel.Tuning.LogFullSegments));
    }

    /// <summary>Who appends as fast as threads can, without waiting for anything.</summary>
    private sealed class Flood : IDisposable
    {
        private readonly Thread[] _threads;
        private volatile bool _ends;
        private long _appended;
        private Exception? _error;

        public Flood(SluiceLog log, int threads, int recordBytes)
        {
            _threads = Threads.Start(threads, i => Append(log, i, recordBytes));
            Threads.WaitUntil(() => Appended > 100 || _error is not null);
        }

        public long Appended => Volatile.Read(ref _appended);

        /// <summary>What ended a thread: it appends no more.</summary>
        public Exception? Error => Volatile.Read(ref _error);

        public void End()
        {
            _error.ShouldBeNull();
            Dispose();
            _error.ShouldBeNull();
        }

        public void Dispose()
        {
            _ends = true;
            _threads.JoinInTime();
        }

        private void Append(SluiceLog log, int writer, int recordBytes)
        {
            byte[] record = Records.Make(writer, 0, recordBytes);
            try
            {
                while (!_ends)
                {
                    _ = log.Append(record, LogDurability.Buffered);
                    Interlocked.Increment(ref _appended);
                }
            }
            catch (Exception e)
            {
                _error = e;
            }
        }
    }
}
