using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Measures contenders in turns, round by round.</summary>
/// <param name="sliceTime">The length of a turn. Zero: a turn is one run of the contender, and needs <see cref="WarmUpAsync"/>.</param>
internal sealed class TurnRunner(TimeSpan sliceTime, int rounds, CancellationToken cancellationToken)
{
    /// <summary>
    /// The runtime compiles a method with full optimization after 30 calls: a contender whose turns are single runs calls everything this
    /// often when it warms up.
    /// </summary>
    public const int WarmUpCalls = 31;

    // The first pass counts what is called, the second uses what was counted. The runtime compiles after 100 ms without new methods.
    private const int WarmUpPasses = 2;
    private static readonly TimeSpan WarmUpPause = TimeSpan.FromMilliseconds(250);

    private readonly SliceRunner _slices = new(cancellationToken);

    /// <summary>Called before each counted turn with the number of its round.</summary>
    public Action<int, Contender>? Progress { get; init; }

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

    /// <param name="settle">Called before each turn, so that it does not pay for what the one before has left to be written.</param>
    /// <returns>
    /// The result of each contender, in their order. After a cancellation, a contender without a measured turn has null.
    /// </returns>
    public async Task<IReadOnlyList<MeasuredRate?>> MeasureAsync(IReadOnlyList<Contender> contenders, Action? settle = null)
    {
        List<SliceSample>[] samples = [.. contenders.Select(_ => new List<SliceSample>())];
        try
        {
            foreach (Contender contender in sliceTime > TimeSpan.Zero ? contenders : [])
                await TurnAsync(contender, settle);
            for (int round = 0; round < rounds; round++)
            {
                foreach (int i in Order(contenders.Count, round))
                {
                    Progress?.Invoke(round + 1, contenders[i]);
                    samples[i].Add(await TurnAsync(contenders[i], settle));
                }
            }
        }
        catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
        {
            // The measured turns stay.
        }
        return [.. samples.Select(s => s.Count == 0 ? null : MeasuredRate.Of(s))];
    }

    /// <exception cref="OperationCanceledException">Not all contenders were measured.</exception>
    public async Task<IReadOnlyList<MeasuredRate>> MeasureAllAsync(IReadOnlyList<Contender> contenders, Action? settle = null)
    {
        IReadOnlyList<MeasuredRate?> rates = await MeasureAsync(contenders, settle);
        cancellationToken.ThrowIfCancellationRequested();
        return [.. rates.OfType<MeasuredRate>()];
    }

    // On a busy machine, or with requests that take longer than a turn, one may end before anything was done.
    private async Task<SliceSample> TurnAsync(Contender contender, Action? settle)
    {
        for (TimeSpan time = sliceTime; ; time *= 2)
        {
            settle?.Invoke();
            SliceSample sample = await _slices.RunAsync(contender, time);
            cancellationToken.ThrowIfCancellationRequested();
            if (sample.OperationsPerSecond > 0)
                return sample;
        }
    }

    /// <summary>
    /// Each round begins with another contender, and every other one runs backwards: who follows a writer meets its leftovers, and disks
    /// that are rented out give more to who comes first after a pause.
    /// </summary>
    private IEnumerable<int> Order(int count, int round)
    {
        int[] order = [.. Enumerable.Range(0, count).Select(i => ((round * count / rounds) + i) % count)];
        return Rounds.ThereAndBack(order, round);
    }
}
