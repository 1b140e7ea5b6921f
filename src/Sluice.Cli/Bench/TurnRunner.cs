using System.Diagnostics;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Bench;

/// <summary>Measures contenders in turns, round by round, so that a drifting device meets them alike.</summary>
/// <param name="sliceTime">The length of a turn. Zero: a turn is one run of the contender, and needs <see cref="WarmUpAsync"/>.</param>
internal sealed class TurnRunner(TimeSpan sliceTime, int rounds, CancellationToken cancellationToken)
{
    /// <summary>
    /// The runtime compiles a method with full optimization after 30 calls: a contender whose turns are single runs calls everything this
    /// often when it warms up.
    /// </summary>
    public const int WarmUpCalls = 31;

    /// <summary>See <see cref="Limit"/>.</summary>
    public const int Limits = 3;

    // Long enough for the runtime to have compiled the loops with full optimization (its timer is 100 ms).
    private const double WarmUpSlices = 1.5;

    // The first pass counts what is called, the second uses what was counted. The runtime compiles after 100 ms without new methods.
    private const int WarmUpPasses = 2;
    private static readonly TimeSpan WarmUpPause = TimeSpan.FromMilliseconds(250);

    private readonly SliceRunner _slices = new(cancellationToken);

    /// <summary>Called before each turn with the number of its round.</summary>
    public Action<int, Contender>? Progress { get; init; }

    /// <summary>Called after each round that counts, with the number of those before it.</summary>
    public Action<int>? AfterRound { get; init; }

    /// <summary>
    /// True for turns that fill the page cache: each measured turn follows an unmeasured turn of the same contender, and reuses its pages.
    /// </summary>
    public bool ReusesPages { get; init; }

    /// <summary>True if a turn is one pass.</summary>
    public bool IsSinglePass { get; init; }

    /// <summary>
    /// The measurement ends after this time as soon as it has the rounds for an interval, and after <see cref="Limits"/> times as long with
    /// the rounds that it has.
    /// </summary>
    public TimeSpan Limit { get; init; } = TimeSpan.MaxValue;

    /// <param name="unsupported">Gets the reason of each contender that the file system does not support; null: it is an error.</param>
    public async Task WarmUpAsync(IReadOnlyList<Contender> contenders, Dictionary<string, string>? unsupported = null)
    {
        for (int pass = 0; pass < WarmUpPasses; pass++)
        {
            foreach (Contender contender in contenders.Where(c => unsupported?.ContainsKey(c.Name) != true))
            {
                cancellationToken.ThrowIfCancellationRequested();
                try
                {
                    await _slices.RunAsync(contender, TimeSpan.Zero);
                }
                catch (NotSupportedException e) when (unsupported is not null)
                {
                    unsupported.Add(contender.Name, ErrorText.Of(e).ReplaceLineEndings(" "));
                }
            }
            await Task.Delay(WarmUpPause, cancellationToken);
        }
    }

    /// <param name="scale">What one operation counts.</param>
    /// <returns>
    /// The result of each contender, in their order. After a cancellation, a contender without a measured turn has null.
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
                    side.Turns.Add(await TurnAsync(side.Contender));
                }
                AfterRound?.Invoke(counted);
                counted++;
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The measured turns stay.
        }
        return [.. sides.Select(s => s.Report(scale))];

        bool IsOver(long began) => counted > 0
            && Stopwatch.GetElapsedTime(began) / (counted >= Statistics.FewestPairs ? 1 : Limits) > Limit;
    }

    /// <exception cref="OperationCanceledException">Not all contenders were measured.</exception>
    public async Task<IReadOnlyList<ContenderReport>> MeasureAllAsync(IReadOnlyList<Contender> contenders, double scale = 1)
    {
        IReadOnlyList<ContenderReport?> reports = await MeasureAsync(contenders, scale);
        cancellationToken.ThrowIfCancellationRequested();
        return [.. reports.OfType<ContenderReport>()];
    }

    // On a busy machine, or with requests that take longer than a turn, one may end before anything was done.
    private async Task<SliceSample> TurnAsync(Contender contender)
    {
        for (TimeSpan time = IsSinglePass ? TimeSpan.Zero : sliceTime; ; time *= 2)
        {
            // The pages that this pass is about to give back are those that the measured one takes.
            if (ReusesPages)
                await _slices.RunAsync(contender, time);
            SliceSample sample = await _slices.RunAsync(contender, time);
            cancellationToken.ThrowIfCancellationRequested();
            if (sample.OperationsPerSecond > 0)
                return sample;
        }
    }

    /// <summary>
    /// Every other round runs backwards, and each pair of rounds begins with another side: who follows a writer meets its leftovers, and
    /// disks that are rented out give more to who comes first after a pause.
    /// </summary>
    private IEnumerable<Side> InOrder(Side[] sides, int round)
    {
        int first = round / 2 * (2 * sides.Length / rounds);
        IEnumerable<Side> order = Enumerable.Range(first, sides.Length).Select(i => sides[i % sides.Length]);
        return round % 2 == 0 ? order : order.Reverse();
    }

    private sealed record Side(Contender Contender)
    {
        public List<SliceSample> Turns { get; } = [];

        public ContenderReport? Report(double scale)
        {
            if (Turns.Count == 0)
                return null;
            double[] rates = [.. Turns.Select(t => t.OperationsPerSecond * scale)];
            double[] cpus = [.. Turns.Select(t => t.CpuUsPerOperation)];
            return new ContenderReport(
                Contender.Name, Statistics.Median(rates), Statistics.Median(cpus),
                Statistics.Median(Turns.Select(t => t.AllocatedBytesPerOperation)), rates)
            {
                SliceCpuUs = cpus,
            };
        }
    }
}
