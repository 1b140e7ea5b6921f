using System.Diagnostics;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>Measures contenders alternately, round by round, so that a drift of the device affects all of them alike.</summary>
/// <param name="sliceTime">
/// The length of a slice. Zero: a slice is one run of the contender, and requires <see cref="WarmUpAsync"/>.
/// </param>
internal sealed class TurnRunner(TimeSpan sliceTime, int rounds, CancellationToken cancellationToken)
{
    /// <summary>
    /// The number of calls in a warm-up if a slice is a single run: the runtime compiles a method with full optimization after 30 calls.
    /// </summary>
    public const int WarmUpCalls = 31;

    /// <summary>The factor of the upper time limit; see <see cref="Limit"/>.</summary>
    public const int Limits = 3;

    // The warm-up is long enough for the runtime to compile the loops with full optimization (its timer is 100 ms).
    private const double WarmUpSlices = 1.5;

    // Two passes: the runtime counts calls in the first one and uses the counts in the second. It compiles after 100 ms without new
    // methods.
    private const int WarmUpPasses = 2;
    private static readonly TimeSpan WarmUpPause = TimeSpan.FromMilliseconds(250);

    private readonly SliceRunner _slices = new(cancellationToken);

    /// <summary>Called before each slice with the number of its round, from 1.</summary>
    public Action<int, Contender>? Progress { get; init; }

    /// <summary>Called after each round with its number, from 0.</summary>
    public Action<int>? AfterRound { get; init; }

    /// <summary>The need for new pages of memory, for which a measured slice follows an unmeasured one.</summary>
    public PageCacheFill Fills { get; init; }

    /// <summary>
    /// The time limit. The measurement ends after this time if it has enough rounds for an interval, and after <see cref="Limits"/> times
    /// as long with fewer rounds, but not before the first round.
    /// </summary>
    public TimeSpan Limit { get; init; } = TimeSpan.MaxValue;

    /// <param name="unsupported">Receives the reason for each contender that the file system does not support.</param>
    public async Task WarmUpAsync(IReadOnlyList<Contender> contenders, Dictionary<string, string> unsupported)
    {
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            foreach (Contender contender in contenders.Where(c => !unsupported.ContainsKey(c.Name)))
            {
                cancellationToken.ThrowIfCancellationRequested();
                try
                {
                    await _slices.RunAsync(contender, TimeSpan.Zero);
                }
                catch (NotSupportedException e)
                {
                    unsupported.Add(contender.Name, ErrorText.Of(e).ReplaceLineEndings(" "));
                }
            }
            await Task.Delay(WarmUpPause, cancellationToken);
        }
    }

    /// <param name="scale">The factor by which the rates are multiplied: the amount of one operation in the unit of the report.</param>
    /// <returns>
    /// The result of each contender, in the order of the contenders. After a cancellation, null for a contender without a measured slice.
    /// </returns>
    public async Task<IReadOnlyList<ContenderReport?>> MeasureAsync(IReadOnlyList<Contender> contenders, double scale = 1)
    {
        Side[] sides = [.. contenders.Select(c => new Side(c))];
        int counted = 0;
        try
        {
            foreach (Contender contender in sliceTime > TimeSpan.Zero ? contenders : [])
                await _slices.RunAsync(contender, sliceTime * WarmUpSlices);
            for (long began = Stopwatch.GetTimestamp(); counted < rounds && !IsOver(began);)
            {
                foreach (Side side in InOrder(sides, counted))
                {
                    Progress?.Invoke(counted + 1, side.Contender);
                    side.Samples.Add(await MeasureSliceAsync(side.Contender));
                }
                AfterRound?.Invoke(counted);
                counted++;
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The slices that were measured before the cancellation are reported.
        }
        return [.. sides.Select(s => s.Report(scale))];

        bool IsOver(long began) => counted > 0
            && Stopwatch.GetElapsedTime(began) / (counted >= Statistics.FewestPairs ? 1 : Limits) > Limit;
    }

    /// <exception cref="OperationCanceledException">The run was canceled.</exception>
    public async Task<IReadOnlyList<ContenderReport>> MeasureAllAsync(IReadOnlyList<Contender> contenders, double scale = 1)
    {
        IReadOnlyList<ContenderReport?> reports = await MeasureAsync(contenders, scale);
        cancellationToken.ThrowIfCancellationRequested();
        return [.. reports.OfType<ContenderReport>()];
    }

    // On a busy machine or with slow requests, a slice may end without a completed operation; it is repeated with twice the time.
    private async Task<SliceSample> MeasureSliceAsync(Contender contender)
    {
        for (TimeSpan time = Fills == PageCacheFill.Once ? TimeSpan.Zero : sliceTime; ; time *= 2)
        {
            // The measured pass reuses the pages that this pass is about to free.
            if (Fills != PageCacheFill.None)
                await _slices.RunAsync(contender, time);
            SliceSample sample = await _slices.RunAsync(contender, time);
            cancellationToken.ThrowIfCancellationRequested();
            if (sample.OperationsPerSecond > 0)
                return sample;
        }
    }

    /// <summary>
    /// Returns the contenders in the order of the round. Every other round has the reverse order, because a contender that follows a writer
    /// waits for its writeback. With few rounds for the number of contenders, each pair of rounds also starts with a different contender,
    /// because rented disks are faster after a pause.
    /// </summary>
    private IEnumerable<Side> InOrder(Side[] sides, int round)
    {
        int first = round / 2 * (2 * sides.Length / rounds);
        IEnumerable<Side> order = Enumerable.Range(first, sides.Length).Select(i => sides[i % sides.Length]);
        return round % 2 == 0 ? order : order.Reverse();
    }

    private sealed record Side(Contender Contender)
    {
        public List<SliceSample> Samples { get; } = [];

        public ContenderReport? Report(double scale)
        {
            if (Samples.Count == 0)
                return null;
            double[] rates = [.. Samples.Select(s => s.OperationsPerSecond * scale)];
            double[] cpus = [.. Samples.Select(s => s.CpuUsPerOperation)];
            return new ContenderReport(
                Contender.Name, Statistics.Median(rates), Statistics.Median(cpus),
                Statistics.Median(Samples.Select(s => s.AllocatedBytesPerOperation)), rates)
            {
                SliceCpuUs = cpus,
            };
        }
    }
}
