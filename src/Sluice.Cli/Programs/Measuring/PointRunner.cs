using Sluice.Cli.Bench;

namespace Sluice.Cli.Programs.Measuring;

/// <summary>Measures contenders in turns, slice by slice, after a slice each that does not count.</summary>
internal sealed class PointRunner(TimeSpan sliceTime, int rounds, CancellationToken cancellationToken)
{
    private readonly SliceRunner _slices = new(cancellationToken);

    /// <returns>As many as contenders, in their order; units are what they count.</returns>
    public async Task<IReadOnlyList<Reading>> MeasureAsync(IReadOnlyList<Contender> contenders, bool warmUp = true)
    {
        List<SliceSample>[] samples = [.. contenders.Select(_ => new List<SliceSample>())];
        if (warmUp)
        {
            foreach (Contender contender in contenders)
            {
                await _slices.RunAsync(contender, sliceTime);
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
        for (int round = 0; round < rounds; round++)
        {
            // Every other round backwards: whoever follows a writer meets its leftovers.
            foreach (int i in round % 2 == 0 ? Enumerable.Range(0, contenders.Count) : Enumerable.Range(0, contenders.Count).Reverse())
            {
                samples[i].Add(await _slices.RunAsync(contenders[i], sliceTime));
                cancellationToken.ThrowIfCancellationRequested();
            }
        }
        return [.. samples.Select(s => Reading.Of([.. s.Select(x => x.OperationsPerSecond)], s.Select(x => x.CpuUsPerOperation * 1000)))];
    }
}
