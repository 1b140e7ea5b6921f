using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;

namespace Sluice.Cli.Programs.Advise;

/// <summary>The measured approaches of a topic, and the recommended one.</summary>
/// <param name="Measured">
/// The approaches with their rates in the unit of the topic. The first is the one that most programs use today.
/// </param>
/// <param name="LeftOut">The reason why the direct approaches were not measured; null if they were.</param>
internal sealed record Comparison(
    AdviceTopic Topic, IReadOnlyList<(Approach Approach, ContenderReport Reading)> Measured, double? ClockHz, string? LeftOut = null)
{
    // The minimum share of the highest rate: smaller differences are within the variation of the disk.
    private const double Close = 0.9;
    private const double Same = 0.05;
    private const double Unsteady = 1.5;

    private (Approach Approach, ContenderReport Reading) Fastest { get; } = Measured.MaxBy(m => m.Reading.Rate);

    /// <summary>The approach with the lowest CPU time among those that are about as fast as the fastest.</summary>
    public (Approach Approach, ContenderReport Reading) Best { get; } =
        Measured.Where(m => m.Reading.Rate >= Close * Measured.Max(f => f.Reading.Rate)).MinBy(m => m.Reading.CpuUsPerOperation);

    private string CpuUnit => !Topic.CountsBytes ? "us each" : ClockHz is null ? "ns/byte" : "clocks/byte";

    public IEnumerable<string> Sentences()
    {
        (Approach best, ContenderReport reading) = Best;
        (Approach usual, ContenderReport baseline) = Measured[0];
        yield return $"Take {best.Name}: {Describe(reading)}.";
        if (best != usual)
        {
            yield return $"{usual.Name} gives {Describe(baseline)}: this is {Compare(reading, baseline)} that, for "
                + $"{CompareCpu(reading, baseline)}.";
            if (baseline.High >= reading.Low)
                yield return "The rounds of both overlap: that may be chance.";
        }
        if (reading.High > Unsteady * reading.Low)
        {
            yield return $"Its rounds lay between {PageCell.Of(reading.Low).Text} and {PageCell.Of(reading.High).Text} {Topic.Unit}: the "
                + "machine was not steady, so ask again.";
        }
        if (Fastest.Approach != best)
            yield return $"{Fastest.Approach.Name} is a little faster ({Describe(Fastest.Reading)}), for {CompareCpu(Fastest.Reading, reading)}.";
        if (best.IsDotNet)
            yield return "Sluice gains nothing here.";
        if (LeftOut is not null)
            yield return $"The direct ways are left out: {LeftOut}.";
    }

    public PageSection Section() => new()
    {
        Heading = Topic.Heading,
        Text = $"{string.Join('\n', Sentences())}\n    {Best.Approach.Code}",
        Charts =
        [
            PageChart.OfRounds(
                Topic.Heading, new ChartAxis("way", Categories: [.. Measured.Select(m => m.Approach.Name)]),
                new ChartAxis("rate", Topic.Unit), [("rate", Measured.Select(m => (IEnumerable<double>?)m.Reading.SliceRates))]),
        ],
        Tables =
        [
            new PageTable(
                [
                    PageColumn.Text("way"), new("rate", Topic.Unit), "from", "to",
                    new("CPU", CpuUnit), "ratio", PageColumn.Code("in C#"),
                ],
                [
                    .. Measured.Select(m => new PageRow(
                        m.Approach.Name, m.Reading.Cell(), m.Reading.Low, m.Reading.High, CpuOf(m.Reading),
                        m.Reading.RatioTo(Measured[0].Reading), m.Approach.Code)),
                ]),
        ],
    };

    /// <summary>Returns a section with one line for each topic.</summary>
    public static PageSection Summary(IEnumerable<Comparison> comparisons) => new()
    {
        Heading = "In short",
        Tables =
        [
            new PageTable(
                [
                    PageColumn.Text("to"), PageColumn.Text("take"), PageColumn.Text("which gives"), "to .NET's usual way",
                    PageColumn.Code("in C#"),
                ],
                [
                    .. comparisons.Select(c => new PageRow(
                        c.Topic.Wish, c.Best.Approach.Name, c.Describe(c.Best.Reading),
                        PageCell.Ratio(c.Best.Reading.Rate / c.Measured[0].Reading.Rate), c.Best.Approach.Code)),
                ]),
        ],
    };

    private double CpuOf(ContenderReport reading) =>
        reading.CpuUsPerOperation * (!Topic.CountsBytes ? 1 : ClockHz is { } hz ? hz / 1e6 : 1000);

    private string Describe(ContenderReport reading) =>
        $"{PageCell.Of(reading.Rate).Text} {Topic.Unit}, {PageCell.Of(CpuOf(reading)).Text} {CpuUnit}";

    private static string Compare(ContenderReport reading, ContenderReport other)
    {
        double ratio = reading.Rate / other.Rate;
        return Math.Abs(ratio - 1) <= Same ? "as fast as" : $"{ratio:0.00} x as fast as";
    }

    private static string CompareCpu(ContenderReport reading, ContenderReport other) =>
        $"{reading.CpuUsPerOperation / Math.Max(other.CpuUsPerOperation, 1e-12):0.00} x the CPU";
}
