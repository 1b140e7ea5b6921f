using Sluice.Cli.Bench;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Measures one task after the other.</summary>
internal sealed class Adviser(BenchContext context, double? clockHz, CancellationToken cancellationToken)
{
    private readonly TurnRunner _turns = new(context.Scale.SliceTime, context.Scale.Rounds, cancellationToken);

    public async Task<Comparison> MeasureAsync(AdviceTopic topic)
    {
        try
        {
            IReadOnlyList<Approach> approaches = topic.Open(context);
            string? refusal = approaches.Any(a => a.IsDirect) ? DirectIo.Refusal(context.DirectFile) : null;
            approaches = [.. approaches.Where(a => refusal is null || !a.IsDirect).Select(a => topic.Writes ? Settled(a) : a)];
            Settle();
            IReadOnlyList<ContenderReport> readings = await _turns.MeasureAllAsync(approaches, topic.CountsBytes ? 1.0 / ByteSize.MiB : 1);
            return new Comparison(topic, [.. approaches.Zip(readings)], clockHz, refusal);
        }
        finally
        {
            context.DeleteScratchFiles();
        }
    }

    // Flushes the whole file system, because data of deleted files may still be written.
    private void Settle() => Settling.FileSystemOf(Path.GetDirectoryName(context.SmallFile(1))!);

    /// <summary>Returns the approach with a preparation that waits until the data of the preceding slice is written.</summary>
    private Approach Settled(Approach approach) => approach with
    {
        Prepare = () =>
        {
            Settle();
            approach.Prepare?.Invoke();
        },
    };
}
