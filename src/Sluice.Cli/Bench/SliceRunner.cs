using System.Diagnostics;

namespace Sluice.Cli.Bench;

/// <summary>Runs one contender for one slice, and measures its rate, its CPU time and its allocations.</summary>
internal sealed class SliceRunner(CancellationToken cancellationToken)
{
    /// <param name="contender">The contender to run.</param>
    /// <param name="duration">The duration of the slice. A pass that has begun is completed.</param>
    public async Task<SliceSample> RunAsync(Contender contender, TimeSpan duration)
    {
        contender.Prepare?.Invoke();
        var slice = new Slice(duration, contender.Loops, cancellationToken);
        // The watch is created before its first reading of the allocation counter, so that the readings do not include it.
        AllocationWatch? watch = contender.MeasuresAllocations || contender.RunsPrograms ? null : new AllocationWatch(slice, duration);
        // The yield moves the state machine of this method to the heap before the first reading, for the same reason.
        await Task.Yield();
        TimeSpan children = contender.RunsPrograms ? ChildProcesses.CpuTime() : default;
        TimeSpan cpu = Environment.CpuUsage.TotalTime;
        long start = Stopwatch.GetTimestamp();
        slice.Start();
        long end = 0;
        TimeSpan cpuAtEnd = default;
        Task run = Task.Run(async () =>
        {
            await contender.RunAsync(slice);
            // Reads the end time inside the task: a slice may end before the watch has read its last value.
            end = Stopwatch.GetTimestamp();
            cpuAtEnd = Environment.CpuUsage.TotalTime;
        }, CancellationToken.None);
        if (watch is not null)
            await watch.ReadAsync();
        await run;

        if (contender.RunsPrograms)
            cpuAtEnd += ChildProcesses.CpuTime() - children;
        // An interrupted slice is not checked, and its values are discarded.
        if (!cancellationToken.IsCancellationRequested)
            contender.Verify?.Invoke(slice);
        TimeSpan elapsed = slice.Elapsed ?? Stopwatch.GetElapsedTime(start, end);
        long operations = Math.Max(1, slice.Operations);
        return new SliceSample(
            slice.Operations / elapsed.TotalSeconds, (slice.Cpu ?? (cpuAtEnd - cpu)).TotalMicroseconds / operations,
            watch?.AllocatedPerOperation ?? Math.Max(0, (double)slice.AllocatedBytes / operations));
    }

    /// <summary>Reads the process's allocation counter twice while a slice runs, away from its start and its end.</summary>
    private sealed class AllocationWatch(Slice slice, TimeSpan duration)
    {
        private const int MinOperations = 100;

        private readonly Task _quarter = Task.Delay(duration / 4, CancellationToken.None);
        private readonly Task _nearlyOver = Task.Delay(duration * 0.85, CancellationToken.None);
        private readonly long _allocatedAtStart = GC.GetTotalAllocatedBytes(precise: true);
        private double? _allocatedPerOperation;

        /// <summary>
        /// The number of bytes allocated per operation between the readings, or in the whole slice if there were few operations between the
        /// readings. Valid after the end of the slice.
        /// </summary>
        public double AllocatedPerOperation => Math.Max(0, _allocatedPerOperation
            ?? (double)(GC.GetTotalAllocatedBytes(precise: true) - _allocatedAtStart) / Math.Max(1, slice.Operations));

        public async Task ReadAsync()
        {
            await _quarter;
            (long operations, long allocated) early = (slice.Operations, GC.GetTotalAllocatedBytes(precise: true));
            await _nearlyOver;
            (long operations, long allocated) late = (slice.Operations, GC.GetTotalAllocatedBytes(precise: true));
            if (late.operations - early.operations >= MinOperations)
                _allocatedPerOperation = (double)(late.allocated - early.allocated) / (late.operations - early.operations);
        }
    }
}

internal readonly record struct SliceSample(double OperationsPerSecond, double CpuUsPerOperation, double AllocatedBytesPerOperation);
