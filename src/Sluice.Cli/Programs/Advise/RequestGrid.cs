using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Advise;

/// <summary>Rates by request size and by how many are outstanding.</summary>
internal sealed class RequestGrid(string name, IReadOnlyDictionary<(int RequestBytes, int Depth), ContenderReport> readings)
{
    // The share of the best rate that is sufficient; more costs memory and latency.
    private const double Enough = 0.95;

    /// <summary>The combination with the least memory in flight that has nearly the best rate.</summary>
    public (int RequestBytes, int Depth) Choice { get; } = readings
        .Where(r => r.Value.Rate >= Enough * readings.Values.Max(v => v.Rate))
        .OrderBy(r => (long)r.Key.RequestBytes * r.Key.Depth).ThenBy(r => r.Key.Depth).First().Key;

    public IEnumerable<string> Sentences()
    {
        ContenderReport reading = readings[Choice];
        yield return $"{name}: {Counted.Of(Choice.Depth, "request")} of {ByteSize.Format(Choice.RequestBytes)} outstanding "
            + $"{(Choice.Depth == 1 ? "is" : "are")} enough, with "
            + $"{Comparison.Round(reading.Rate)} MiB/s; the best of all is {Comparison.Round(readings.Values.Max(v => v.Rate))}. "
            + "RequestSize and Depth find themselves if they are not set.";
    }

    public PageTable ToTable()
    {
        int[] depths = [.. readings.Keys.Select(k => k.Depth).Distinct().Order()];
        return new PageTable
        {
            Title = $"{name}, MiB/s by request size and depth",
            Columns = [new PageColumn("request"), .. depths.Select(d => new PageColumn($"depth {d}"))],
            Rows =
            [
                .. readings.Keys.Select(k => k.RequestBytes).Distinct().Order().Select(size => new PageRow(
                [
                    new PageCell(ByteSize.Format(size), size),
                    .. depths.Select(d => (PageCell)readings[(size, d)].Rate),
                ])),
            ],
        };
    }
}
