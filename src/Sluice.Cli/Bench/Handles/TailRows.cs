using System.Diagnostics;
using System.Runtime.ExceptionServices;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;
using Sluice.Diagnostics;

namespace Sluice.Cli.Bench.Handles;

/// <summary>Rows about the slowest of many reads: as fast as they go, and at a rate that nobody's answers hold back.</summary>
internal static class TailRows
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);
    private const int Depth = 32;

    /// <summary>Reads under way at most where the rate is given: more wait, and their wait counts.</summary>
    private const int MaxUnderWay = 256;

    /// <summary>Of the lower of the two sides' highest rates that hold.</summary>
    private const double ShareOfHighestRate = 0.6;

    /// <summary>A rate holds where so much of it is reached.</summary>
    private const double HeldShare = 0.95;

    /// <summary>The next rate that is tried where one did not hold.</summary>
    private const double StepDown = 0.85;

    /// <summary>Where even a quarter of what loops reach does not hold the machine has other work: that is tried no further.</summary>
    private const double LeastShare = 0.25;

    /// <summary>
    /// fio's latencies begin where a read is submitted, those of the sides beside it where it was due: there is no ratio of them.
    /// </summary>
    private const string FioFromSubmission = "fio, from its submission";

    /// <summary>A latency may be so much longer than fio's.</summary>
    private const double FioAllowance = 1.15;

    /// <summary>Loops that read as fast as they can.</summary>
    public static Row Closed(double percent) => new(
        $"tail-read-4k-d{Depth}-{IdOf(percent)}", $"direct 4 KiB random read, depth {Depth}, {NameOf(percent)}",
        "how long the slowest reads take while as many as possible are made; the rate is one over that latency", context =>
        {
            RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, Depth);
            return WithFio(context, "fio", percent, () => null, HandleSuite.Pair(HandleSuite.Direct(context, FileAccess.Read), side =>
            {
                Memory<byte>[] buffers = Loops.Buffers(Depth, PageBytes);
                return slice => ClosedAsync(side, slice, buffers, offsets, percent);
            }, Depth));
        })
    {
        Target = new RowTarget { MinRatio = 1, MinSecondRatio = 1 / FioAllowance },
    };

    /// <summary>Reads that begin at random moments, so many a second, whether or not the ones before have ended.</summary>
    public static Row Open(double percent) => new(
        $"open-loop-read-4k-{IdOf(percent)}", $"direct 4 KiB random read at 60 % of the highest rate that holds, {NameOf(percent)}",
        "arrivals do not wait for answers: latency from when a read was due, or its thread awake; the rate is its inverse", context =>
        {
            RandomOffsets offsets = RandomOffsets.Of(context.Scale.DirectFileBytes, PageBytes, Depth);
            double? iops = null;
            TargetOptions file = HandleSuite.Direct(context, FileAccess.Read);
            return WithFio(context, FioFromSubmission, percent, () => iops, HandleSuite.Pair(file, side =>
            {
                Memory<byte>[] buffers = Loops.Buffers(MaxUnderWay, PageBytes);
                return async slice =>
                {
                    // Whoever is first finds out for both: in the warm-up, which does not count.
                    iops ??= ShareOfHighestRate * Math.Min(
                        await HighestHeldRateAsync(context, IoSide.Bcl, offsets),
                        await HighestHeldRateAsync(context, IoSide.Sluice, offsets));
                    await OpenAsync(side, slice, buffers, offsets, iops.Value, percent);
                };
            }, MaxUnderWay));
        })
    {
        Target = new RowTarget { MinRatio = 1 },
    };

    private static Contest WithFio(BenchContext context, string name, double percent, Func<double?> iops, Contest pair)
    {
        string? ran = null;
        if (!FioRunner.IsInstalled)
            return pair;
        try
        {
            // Or what fio may not do here (no io_uring in a container, no O_DIRECT) would end the row.
            _ = MeasureAsync(TimeSpan.FromMilliseconds(10)).GetAwaiter().GetResult();
        }
        catch (IOException e)
        {
            return new Contest(pair.Sluice, pair.DotNet, pair) { FioError = ErrorText.Of(e) };
        }
        return new Contest(pair.Sluice, pair.DotNet, pair)
        {
            HasSecondRatio = name != FioFromSubmission,
            Second = new Contender(name, async slice =>
            {
                (TimeSpan latency, long operations, ran) = await MeasureAsync(context.Scale.FioTime);
                // Each counts, for its processor time is told of one; the rate stays the inverse of the latency.
                slice.Count(0, operations);
                slice.Elapsed = latency * operations;
            })
            {
                RunsPrograms = true,
                CommandLine = () => ran,
            },
        };

        Task<(TimeSpan Latency, long Operations, string CommandLine)> MeasureAsync(TimeSpan time)
        {
            var job = new FioJob("randread", PageBytes, iops() is null ? Depth : MaxUnderWay);
            return FioRunner.MeasureLatencyAsync(
                job, context.DirectFile, context.Scale.DirectFileBytes, time, percent, iops(), CancellationToken.None);
        }
    }

    internal static async Task ClosedAsync(
        IoTarget target, Slice slice, Memory<byte>[] buffers, RandomOffsets offsets, double percent)
    {
        var histogram = new LatencyHistogram();
        await Loops.RunLoops(buffers.Length, async loop =>
        {
            int next = offsets.Begin(loop);
            do
            {
                long begin = Stopwatch.GetTimestamp();
                await target.ReadAsync(buffers[loop], offsets[next++]);
                histogram.Record((long)Stopwatch.GetElapsedTime(begin).TotalNanoseconds);
                slice.End(begin);
                slice.Count(loop);
            }
            while (!slice.IsOver);
            offsets.End(loop, next);
        });
        slice.Elapsed = TimeSpan.FromMicroseconds(histogram.Percentile(percent) / 1000.0) * slice.Operations;
    }

    /// <exception cref="IOException">A read failed: no more are begun then.</exception>
    internal static Task OpenAsync(
        IoTarget target, Slice slice, Memory<byte>[] buffers, RandomOffsets offsets, double iops, double percent)
    {
        // A thread of its own begins them: the pool's are for what follows the reads.
        return Task.Factory.StartNew(Begin, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);

        void Begin()
        {
            var histogram = new LatencyHistogram();
            var random = new Random(17);
            using var free = new SemaphoreSlim(buffers.Length);
            var idle = new System.Collections.Concurrent.ConcurrentBag<int>(Enumerable.Range(0, buffers.Length));
            double due = Stopwatch.GetTimestamp();
            long woken = 0;
            int next = offsets.Begin(0);
            Exception? failure = null;
            do
            {
                due += -Math.Log(1 - random.NextDouble()) / iops * Stopwatch.Frequency;
                if (ShortSleep.Until((long)due))
                    woken = Stopwatch.GetTimestamp();
                free.Wait();
                idle.TryTake(out int buffer);
                // That a sleep ended late is nobody's latency; that a call held this thread up is.
                _ = ReadAsync(buffer, offsets[next++], Math.Max((long)due, woken));
            }
            while (!slice.IsOver && Volatile.Read(ref failure) is null);
            offsets.End(0, next);
            for (int ended = 0; ended < buffers.Length; ended++)
                free.Wait();
            if (failure is not null)
                ExceptionDispatchInfo.Throw(failure);
            slice.Elapsed = TimeSpan.FromMicroseconds(histogram.Percentile(percent) / 1000.0) * slice.Operations;

            async Task ReadAsync(int buffer, long offset, long since)
            {
                try
                {
                    await target.ReadAsync(buffers[buffer], offset);
                    histogram.Record((long)Stopwatch.GetElapsedTime(since).TotalNanoseconds);
                    slice.End(since);
                    slice.Count(buffer);
                }
                catch (Exception e)
                {
                    // Told by the thread that begins them, which must not wait for a buffer that never comes back.
                    Interlocked.CompareExchange(ref failure, e, null);
                }
                finally
                {
                    idle.Add(buffer);
                    free.Release();
                }
            }
        }
    }

    /// <summary>
    /// The highest rate of arrivals that do not wait for one another which a side keeps up with: a read by itself costs more than one of
    /// many, so that it is less than what loops reach.
    /// </summary>
    private static async Task<double> HighestHeldRateAsync(BenchContext context, IoSide side, RandomOffsets offsets)
    {
        using IoTarget target = IoTarget.Open(side, HandleSuite.Direct(context, FileAccess.Read));
        Memory<byte>[] buffers = Loops.Buffers(MaxUnderWay, PageBytes);
        double closed = await RateAsync(slice => ClosedAsync(target, slice, buffers[..Depth], offsets, percent: 50));
        double rate = closed;
        double reached;
        do
        {
            rate *= StepDown;
            reached = await RateAsync(slice => OpenAsync(target, slice, buffers, offsets, rate, percent: 50));
        }
        while (reached < HeldShare * rate && rate > LeastShare * closed);
        return rate;

        async Task<double> RateAsync(Func<Slice, Task> read)
        {
            var slice = new Slice(context.Scale.SliceTime, buffers.Length, CancellationToken.None);
            long begin = Stopwatch.GetTimestamp();
            slice.Start();
            await read(slice);
            return slice.Operations / Stopwatch.GetElapsedTime(begin).TotalSeconds;
        }
    }

    private static string IdOf(double percent) => percent > 99 ? "p999" : "p99";

    private static string NameOf(double percent) => percent > 99 ? "p99.9" : "p99";
}
