using System.Diagnostics;
using Sluice.Cli.Load;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench.Handles;

/// <summary>Rows with concurrent callers: a reader next to a loop that computes, and many loops that compute after each read.</summary>
internal static class NeighbourRows
{
    private const int PageBytes = (int)(4 * ByteSize.KiB);

    private static readonly double TicksPerUs = Stopwatch.Frequency / 1e6;

    /// <summary>
    /// Creates a row for the latency of a reader while another loop computes for this time after each read. The rate is the inverse of the
    /// latency, in operations per second.
    /// </summary>
    public static Row Neighbour(int computeUs, bool isMedian)
    {
        string figure = isMedian ? "median" : "p99";
        return new Row($"neighbour-{computeUs}us-{figure}", $"read beside one computing {computeUs} us, {figure}",
            "direct 4 KiB ReadAsync in two loops; the rate is one over the latency of the one that does not compute", context =>
                HandleRows.Pair(HandleRows.Direct(context, FileAccess.Read), side =>
                    slice => NeighbourAsync(side, slice, context.Scale.DirectFileBytes, computeUs, isMedian ? 0.5 : 0.99)));
    }

    /// <summary>Creates a row of loops that read and then compute.</summary>
    public static Row Working(int computeUs, int depth = 64) => new(
        $"working-{computeUs}us-d{depth}", $"{depth} reads at once, {computeUs} us of work after each",
        "direct 4 KiB ReadAsync; the work is callers' code, in so many loops", context => OpenWorking(context, computeUs, depth))
    {
        IsRequest = true,
    };

    /// <summary>The contest of <see cref="Working"/>.</summary>
    public static Contest OpenWorking(BenchContext context, int computeUs, int depth, params IDisposable[] owned) => HandleRows.Pair(
        HandleRows.Direct(context, FileAccess.Read), side =>
        {
            Memory<byte>[] buffers = Loops.Buffers(depth, PageBytes);
            return slice => Loops.RunLoops(
                depth, loop => WorkAsync(side, slice, loop, buffers[loop], context.Scale.DirectFileBytes, computeUs));
        }, depth, owned: owned);

    private static async Task NeighbourAsync(IoTarget target, Slice slice, long fileSizeBytes, int computeUs, double quantile)
    {
        Memory<byte>[] buffers = Loops.Buffers(2, PageBytes);
        List<long> ticks = [];
        Task computing = Task.Run(async () =>
        {
            while (!slice.IsOver)
            {
                await target.ReadAsync(buffers[1], Loops.RandomOffset(fileSizeBytes, PageBytes));
                Compute(computeUs);
            }
        });
        await Task.Yield();
        do
        {
            long begin = Stopwatch.GetTimestamp();
            await target.ReadAsync(buffers[0], Loops.RandomOffset(fileSizeBytes, PageBytes));
            ticks.Add(Stopwatch.GetTimestamp() - begin);
            slice.Count(0);
        }
        while (!slice.IsOver);
        await computing;
        ticks.Sort();
        slice.Elapsed = Stopwatch.GetElapsedTime(0, ticks[(int)((ticks.Count - 1) * quantile)]) * slice.Operations;
    }

    private static async Task WorkAsync(
        IoTarget target, Slice slice, int loop, Memory<byte> buffer, long fileSizeBytes, int computeUs)
    {
        do
        {
            int read = await target.ReadAsync(buffer, Loops.RandomOffset(fileSizeBytes, PageBytes));
            Loops.RequireWhole(read, buffer.Length);
            Compute(computeUs);
            slice.Count(loop);
        }
        while (!slice.IsOver);
    }

    /// <summary>
    /// Computes until the time has passed. A thread that loses its processor meanwhile computes less, for Sluice and .NET alike.
    /// </summary>
    private static void Compute(int us)
    {
        long end = Stopwatch.GetTimestamp() + (long)(us * TicksPerUs);
        while (Stopwatch.GetTimestamp() < end)
        {
            Thread.SpinWait(1);
        }
    }
}
