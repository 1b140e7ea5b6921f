using System.Diagnostics;
using Microsoft.Win32.SafeHandles;
using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Load;

public sealed class WorkloadRunnerTests : FolderTest
{
    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    [InlineData(4)]
    public async Task A_slice_has_a_request_however_late_its_threads_begin(int? outstanding)
    {
        await File.WriteAllBytesAsync(Folder["a"], new byte[65_536]);
        var workload = new Workload(Folder["a"], 65_536, 4096) { Outstanding = outstanding };
        using var runner = new WorkloadRunner(workload);
        using var target = new IoTarget(IoSide.Sluice, workload.OpenOptions);
        var measurement = new Measurement();
        await runner.RunSliceAsync(target, measurement, TimeSpan.Zero, CancellationToken.None);
        measurement.Operations.ShouldBeGreaterThan(0);
        measurement.Bytes.ShouldBe(measurement.Operations * 4096);
    }

    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    public async Task The_time_in_which_pages_are_dropped_is_no_latency(int? outstanding)
    {
        const int Block = 4096;
        await File.WriteAllBytesAsync(Folder["a"], new byte[16 * Block]);
        var workload = new Workload(Folder["a"], 16 * Block, Block)
        {
            Outstanding = outstanding,
            Cache = CacheMode.Cold,
            SeekPercent = 100,
        };
        using var target = new SteppedTarget(workload);
        using var runner = new WorkloadRunner(workload, () => target.Now);
        var measurement = new Measurement();
        await runner.RunSliceAsync(target, measurement, TimeSpan.FromSeconds(60), CancellationToken.None);
        target.Drops.ShouldBeGreaterThan(2);
        measurement.Reads.Count.ShouldBeGreaterThan(5);
        measurement.Reads.MaxNanoseconds.ShouldBeInRange(1_000_000, 1_001_000);
    }

    /// <summary>Else a stall at the end of a slice would be seen in few of the requests that it held up.</summary>
    [Theory]
    [InlineData(null, 1.0, 0)]
    [InlineData(1, 1.0, 0)]
    [InlineData(null, 5.0, 499)]
    [InlineData(1, 5.0, 499)]
    public async Task Requests_that_were_due_and_not_started_are_counted_with_their_wait(int? outstanding, double stallSeconds, int neverBegun)
    {
        const int Block = 4096;
        await File.WriteAllBytesAsync(Folder["a"], new byte[16 * Block]);
        var workload = new Workload(Folder["a"], 16 * Block, Block) { Outstanding = outstanding, OperationsPerSecond = 1000 };
        using var target = new SteppedTarget(workload)
        {
            StallsAt = 501,
            StallSeconds = stallSeconds,
        };

        // Each look at the clock takes some of its time.
        using var runner = new WorkloadRunner(workload, () => target.Now += Stopwatch.Frequency / 200_000);
        var measurement = new Measurement();
        await runner.RunSliceAsync(target, measurement, TimeSpan.FromSeconds(1), CancellationToken.None);
        measurement.Reads.Count.ShouldBe(1000);
        measurement.NeverBegun.ShouldBe(neverBegun);
        measurement.Operations.ShouldBe(1000 - neverBegun);
        measurement.Reads.Percentile(90).ShouldBeGreaterThan(400_000_000);
        measurement.BegunLate.ShouldBe(499);
    }

    /// <summary>Counted one by one they would take days, in which nobody could end the run.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    public async Task A_rate_far_above_what_can_be_done_has_latencies_at_once(int? outstanding)
    {
        const int Block = 4096;
        const double Rate = 3e12;
        await File.WriteAllBytesAsync(Folder["a"], new byte[16 * Block]);
        var workload = new Workload(Folder["a"], 16 * Block, Block) { Outstanding = outstanding, OperationsPerSecond = Rate };
        using var target = new SteppedTarget(workload);
        using var runner = new WorkloadRunner(workload, () => target.Now += Stopwatch.Frequency / 200_000);
        var measurement = new Measurement();
        Task slice = runner.RunSliceAsync(target, measurement, TimeSpan.FromSeconds(1), CancellationToken.None);
        await slice.WaitAsync(TimeSpan.FromMinutes(1));
        measurement.Reads.Count.ShouldBe(measurement.Operations + measurement.NeverBegun);
        ((double)measurement.NeverBegun).ShouldBeInRange(Rate * 0.999, Rate);
        // Those of a second, a second after it.
        measurement.Reads.MeanNanoseconds.ShouldBeInRange(1.4e9, 1.6e9);
        measurement.Reads.Percentile(1).ShouldBeInRange(1_000_000_000, 1_100_000_000);
    }

    /// <summary>Each slice has a request at its start. Without one schedule for all of them, short ones would make too many.</summary>
    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    public async Task The_rate_of_requests_does_not_depend_on_the_number_of_slices(int? outstanding)
    {
        const int Block = 4096;
        await File.WriteAllBytesAsync(Folder["a"], new byte[16 * Block]);
        var workload = new Workload(Folder["a"], 16 * Block, Block) { Outstanding = outstanding, OperationsPerSecond = 1250 };
        using var target = new SteppedTarget(workload) { StallsAt = int.MaxValue };
        using var runner = new WorkloadRunner(workload, () => target.Now += Stopwatch.Frequency / 1_000_000);
        var measurement = new Measurement();
        for (int slice = 0; slice < 20; slice++)
            await runner.RunSliceAsync(target, measurement, TimeSpan.FromMilliseconds(1), CancellationToken.None);
        measurement.Reads.Count.ShouldBe(25);
    }

    [Fact]
    public async Task An_error_does_not_wait_for_requests_that_are_not_due()
    {
        await File.WriteAllBytesAsync(Folder["a"], new byte[4096]);
        var workload = new Workload(Folder["a"], 4096, 4096) { Outstanding = 2, OperationsPerSecond = 1 };
        // The clock stands still, so that no second request is ever due. The first one fails when the other loop looks at the clock again.
        int looks = 0;
        var waits = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        using var target = new SteppedTarget(workload) { FailsAfter = waits.Task };
        using var runner = new WorkloadRunner(workload, () =>
        {
            if (Interlocked.Increment(ref looks) > 10)
                waits.TrySetResult();
            return 1;
        });
        await Should.ThrowAsync<IOException>(() => runner.RunSliceAsync(
            target, new Measurement(), TimeSpan.FromHours(1), CancellationToken.None).WaitAsync(TimeSpan.FromMinutes(1)));
    }

    [Fact]
    public async Task The_time_in_which_pages_are_dropped_is_no_part_of_a_flush()
    {
        const int Block = 4096;
        await File.WriteAllBytesAsync(Folder["a"], new byte[16 * Block]);
        var workload = new Workload(Folder["a"], 16 * Block, Block, WriteShare: 1)
        {
            FlushEvery = 1,
            Cache = CacheMode.Cold,
            SeekPercent = 100,
        };
        using var target = new SteppedTarget(workload);
        using var runner = new WorkloadRunner(workload, () => target.Now += Stopwatch.Frequency / 1000);
        var measurement = new Measurement();
        await runner.RunSliceAsync(target, measurement, TimeSpan.FromSeconds(10), CancellationToken.None);
        target.Drops.ShouldBeGreaterThan(2);
        measurement.Flushes.Count.ShouldBeGreaterThan(5);
        measurement.Flushes.MaxNanoseconds.ShouldBeInRange(1_000_000, 1_001_000);
    }

    [Fact]
    public async Task Verification_finds_lost_writes_to_a_file_that_an_earlier_run_wrote()
    {
        const int Block = 4096;
        await File.WriteAllBytesAsync(Folder["a"], new byte[Block]);
        var workload = new Workload(Folder["a"], Block, Block, WriteShare: 1) { Verify = true };
        foreach (bool losesWrites in (bool[])[false, true])
        {
            using var target = new SteppedTarget(workload) { LosesWrites = losesWrites };
            using var runner = new WorkloadRunner(workload);
            await runner.RunSliceAsync(target, new Measurement(), TimeSpan.Zero, CancellationToken.None);
            runner.Verify(CancellationToken.None).ShouldNotBeNull().Wrong.ShouldBe(losesWrites ? 1 : 0);
        }
    }

    [Theory]
    [InlineData(null)]
    [InlineData(1)]
    [InlineData(4)]
    public async Task Every_byte_that_was_read_is_touched_if_that_is_asked_for(int? outstanding)
    {
        await File.WriteAllBytesAsync(Folder["a"], new byte[8 * 1000]);
        foreach (bool touches in (bool[])[true, false])
        {
            var workload = new Workload(Folder["a"], 8 * 1000, 1000) { Outstanding = outstanding, TouchEveryByte = touches };
            using var runner = new WorkloadRunner(workload);
            using var target = new IoTarget(IoSide.Sluice, workload.OpenOptions);
            var measurement = new Measurement();
            await runner.RunSliceAsync(target, measurement, TimeSpan.FromMilliseconds(1), CancellationToken.None);
            measurement.Bytes.ShouldBeGreaterThan(0);
            // All bytes of the file are zeros, which touching counts.
            measurement.Zeros.ShouldBe(touches ? measurement.Bytes : 0);
        }
    }

    /// <summary>A read of the target ends when as many have begun as are to be outstanding.</summary>
    [Theory]
    [InlineData(1)]
    [InlineData(2)]
    [InlineData(32)]
    public async Task As_many_requests_are_outstanding_as_are_asked_for(int outstanding)
    {
        await File.WriteAllBytesAsync(Folder["a"], new byte[65_536]);
        var workload = new Workload(Folder["a"], 65_536, 4096) { Outstanding = outstanding };
        using var target = new GatheringTarget(workload, outstanding);
        // The time of the slice is over when all of them have begun.
        using var runner = new WorkloadRunner(workload, () => target.Full.IsCompleted ? 10 * Stopwatch.Frequency : 1);
        Task slice = runner.RunSliceAsync(target, new Measurement(), TimeSpan.FromSeconds(1), CancellationToken.None);
        await target.Full.WaitAsync(TimeSpan.FromMinutes(1));
        await slice;
        target.Most.ShouldBe(outstanding);
    }

    /// <summary>Reads wait until a number of them have begun for the first time.</summary>
    private sealed class GatheringTarget(Workload workload, int awaited) : IoTarget(IoSide.Sluice, workload.OpenOptions)
    {
        private readonly TaskCompletionSource _full = new(TaskCreationOptions.RunContinuationsAsynchronously);
        private readonly Lock _lock = new();
        private int _now;

        public Task Full => _full.Task;

        public int Most { get; private set; }

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset)
        {
            lock (_lock)
            {
                Most = Math.Max(Most, ++_now);
                if (_now == awaited)
                    _full.TrySetResult();
            }
            await Full;
            int read = await base.ReadAsync(buffer, fileOffset);
            lock (_lock)
                _now--;
            return read;
        }
    }

    /// <summary>A read takes a millisecond of its own clock; whoever asks for the descriptor, to drop pages, takes a second.</summary>
    private sealed class SteppedTarget(Workload workload) : IoTarget(IoSide.Bcl, workload.OpenOptions)
    {
        private int _reads;

        public long Now { get; set; } = 1;

        /// <summary>The number of the read, from 1, that takes <see cref="StallSeconds"/>, and all others none; 0 for none.</summary>
        public int StallsAt { get; init; }

        public double StallSeconds { get; init; }

        public bool LosesWrites { get; init; }

        /// <summary>When the reads fail; null if they do not.</summary>
        public Task? FailsAfter { get; init; }

        public int Drops { get; private set; }

        public override SafeFileHandle SafeFileHandle
        {
            get
            {
                Drops++;
                Now += Stopwatch.Frequency;
                return base.SafeFileHandle;
            }
        }

        public override int Read(Memory<byte> buffer, long fileOffset)
        {
            Now += StallsAt == 0 ? Stopwatch.Frequency / 1000
                : ++_reads == StallsAt ? (long)(StallSeconds * Stopwatch.Frequency) : 0;
            return base.Read(buffer, fileOffset);
        }

        public override async ValueTask<int> ReadAsync(Memory<byte> buffer, long fileOffset)
        {
            if (FailsAfter is null)
                return Read(buffer, fileOffset);
            await FailsAfter;
            throw new IOException("a test's error");
        }

        public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, long fileOffset) =>
            LosesWrites ? ValueTask.CompletedTask : base.WriteAsync(buffer, fileOffset);
    }
}
