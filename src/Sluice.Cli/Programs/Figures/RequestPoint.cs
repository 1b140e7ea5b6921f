using Sluice.Cli.Load;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Figures;

/// <summary>One request size on open files, .NET's RandomAccess and SluiceHandle in turns over one sequence of offsets.</summary>
internal static class RequestPoint
{
    private static readonly int[] FirstDotNet = [0, 1];
    private static readonly int[] FirstSluice = [1, 0];

    /// <returns>Null where this request is no whole number of the file system's blocks.</returns>
    public static async Task<CurvePoint?> MeasureAsync(FigureContext context, string curve, Workload workload)
    {
        using IoTarget dotNet = IoTarget.Open(IoSide.Bcl, workload.OpenOptionsOf(workload.Path));
        if (workload.RequestSizeBytes % dotNet.RequestAlignmentBytes != 0)
            return null;
        using IoTarget sluice = IoTarget.Open(IoSide.Sluice, workload.OpenOptionsOf(workload.Path));
        if (workload.Cache == CacheMode.Direct && sluice.Caching != FileCaching.Direct)
            throw new IOException($"{workload.Path}: direct I/O is not to be had: {sluice.CachingReason}");
        using var runner = new WorkloadRunner(workload);
        IoTarget[] targets = [dotNet, sluice];
        List<double>[] rates = [[], []];
        List<double>[] cpuNs = [[], []];
        // Round 0 warms up.
        for (int round = 0; round <= context.Scale.Rounds; round++)
        {
            foreach (int side in round % 2 == 0 ? FirstDotNet : FirstSluice)
                await SliceAsync(side, counts: round > 0);
        }
        return new CurvePoint(curve, workload.RequestSizeBytes, workload.Outstanding ?? 1,
            MeasuredRate.Of(rates[0], cpuNs[0]), MeasuredRate.Of(rates[1], cpuNs[1]));

        async Task SliceAsync(int side, bool counts)
        {
            Measurement measurement;
            TimeSpan time = context.Scale.SliceTime;
            do
            {
                // A busy machine may not begin a request within a slice.
                measurement = new Measurement();
                await runner.RunSliceAsync(targets[side], measurement, time, context.CancellationToken);
                context.CancellationToken.ThrowIfCancellationRequested();
                time *= 2;
            }
            while (measurement.Bytes == 0);
            if (!counts)
                return;
            rates[side].Add(measurement.SliceMiBPerSecond[0] * ByteSize.MiB);
            cpuNs[side].Add(measurement.Cpu.TotalNanoseconds / measurement.Bytes);
        }
    }
}
