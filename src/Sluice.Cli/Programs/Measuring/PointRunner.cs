using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Measures contenders in turns, slice by slice, after a slice each that does not count.</summary>
internal sealed class PointRunner(TimeSpan sliceTime, int rounds, CancellationToken cancellationToken)
{
    private readonly SliceRunner _slices = new(cancellationToken);

    /// <param name="settle">Called before each slice, so that it does not pay for what the one before has left to be written.</param>
    /// <returns>As many as contenders, in their order; units are what they count.</returns>
    public async Task<IReadOnlyList<MeasuredRate>> MeasureAsync(IReadOnlyList<Contender> contenders, Action? settle = null)
    {
        List<SliceSample>[] samples = [.. contenders.Select(_ => new List<SliceSample>())];
        foreach (Contender contender in contenders)
            await SliceAsync(contender, settle);
        for (int round = 0; round < rounds; round++)
        {
            foreach (int i in Order(contenders.Count, round))
            {
                samples[i].Add(await SliceAsync(contenders[i], settle));
            }
        }
        return [.. samples.Select(s => MeasuredRate.Of([.. s.Select(x => x.OperationsPerSecond)],
            s.Select(x => x.CpuUsPerOperation * 1000)))];
    }

    // On a busy machine, or with requests that take longer than a slice, one may end before anything was done.
    private async Task<SliceSample> SliceAsync(Contender contender, Action? settle)
    {
        TimeSpan time = sliceTime;
        while (true)
        {
            settle?.Invoke();
            SliceSample sample = await _slices.RunAsync(contender, time);
            cancellationToken.ThrowIfCancellationRequested();
            if (sample.OperationsPerSecond > 0)
                return sample;
            time *= 2;
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
