using Sluice.Cli.Terminal;

namespace Sluice.Cli.Load;

/// <summary>The progress line of a measurement: current rate and IOPS, p99 so far, time, and the workload.</summary>
internal sealed class SpeedProgress(string what, TimeSpan total)
{
    private static readonly TimeSpan Moment = TimeSpan.FromSeconds(1);

    private readonly Queue<(TimeSpan At, long Bytes, long Operations)> _samples = new([(TimeSpan.Zero, 0, 0)]);
    private readonly Dictionary<string, long> _operations = new(StringComparer.Ordinal);
    private string _side = "";

    public string Text(TimeSpan elapsed, IReadOnlyList<MeasuredSide> sides)
    {
        // Slices of Sluice and of .NET alternate, so the line shows the engine that has made progress since the last update.
        foreach (MeasuredSide side in sides)
        {
            long done = side.Measured.Operations;
            if (done > _operations.GetValueOrDefault(side.Name))
                _side = side.Name;
            _operations[side.Name] = done;
        }
        (long bytes, long operations) = (sides.Sum(s => s.Measured.Bytes), sides.Sum(s => s.Measured.Operations));
        _samples.Enqueue((elapsed, bytes, operations));
        while (_samples.Count > 2 && elapsed - _samples.Peek().At > Moment)
            _samples.Dequeue();
        (TimeSpan at, long bytesThen, long operationsThen) = _samples.Peek();
        double seconds = Math.Max((elapsed - at).TotalSeconds, 1e-3);
        string name = sides.Count > 1 && _side.Length > 0 ? $"{_side} " : "";
        LatencyHistogram[] latencies = [.. sides.Where(s => sides.Count == 1 || s.Name == _side).SelectMany(s => Histograms(s.Measured))];
        double p99 = latencies.Length == 0 ? 0 : latencies.Max(l => l.Percentile(99)) / 1000.0;
        return $"{name}{(bytes - bytesThen) / (double)ByteSize.MiB / seconds:#,0} MiB/s, "
            + $"{(operations - operationsThen) / seconds:#,0} IOPS, p99 {p99:#,0} us, {Math.Min(elapsed.TotalSeconds, total.TotalSeconds):0} of {total.TotalSeconds:0} s, {what}";
    }

    private static IEnumerable<LatencyHistogram> Histograms(Measurement measured) =>
        new[] { measured.Reads, measured.Writes }.Where(h => h.Count > 0);
}
