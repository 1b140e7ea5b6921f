using Sluice.Cli.Bench;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;

namespace Sluice.Cli.Programs.Examples;

/// <summary>Formats the times of the cases as tables and bars.</summary>
internal static class ExampleReport
{
    public static IReadOnlyList<PageSection> Sections(
        IReadOnlyDictionary<ExampleCase, ContenderReport> rates, IReadOnlyDictionary<ExampleCase, string> wrong, long fileBytes)
    {
        double? clockHz = ProcessorFrequency.NominalHz();
        double mebibytes = fileBytes / (double)ByteSize.MiB;
        return [.. rates.Keys.GroupBy(c => c.Writes).Select(g => Section(g.Key ? "Writing" : "Reading", [.. g]))];

        PageSection Section(string heading, ExampleCase[] cases) => new()
        {
            Heading = heading,
            Tables =
            [
                new PageTable(
                    [
                        PageColumn.Text("case"), PageColumn.Text("with"), new("speed", "MiB/s"),
                        new("CPU", "clocks/B"), new("CPU time", "ns/B"), "ratio",
                        PageColumn.Text("result"),
                    ],
                    [.. cases.Select(Row)]),
            ],
            Charts =
            [
                RateCells.BarsOfSides(
                    heading, "case",
                    [.. cases.Select(c => (c.Name, Side(c), (IEnumerable<double>?)rates[c].SliceRates.Select(r => r * mebibytes)))]),
            ],
        };

        PageRow Row(ExampleCase example)
        {
            ContenderReport rate = rates[example];
            ExampleCase? baseline = rates.Keys.FirstOrDefault(
                c => c.Writes == example.Writes && c.Unit == example.Unit && c.Way == ExampleCases.DotNet);
            double cpuNs = 1000 * rate.CpuUsPerOperation / fileBytes;
            return new PageRow(
                example.Name, example.Way, rate.Cell(1 / mebibytes, "#,0"),
                PageCell.Of(cpuNs * clockHz / 1e9, "0.00"),
                PageCell.Of(cpuNs, "0.00").With(rate.SliceCpuUs.Select(c => 1000 * c / fileBytes)),
                rate.RatioTo(baseline is null ? null : rates[baseline]),
                wrong.TryGetValue(example, out string? difference) ? $"WRONG: {difference}" : "right");
        }
    }

    private static string Side(ExampleCase example) =>
        example.Way.StartsWith(ExampleCases.DotNet, StringComparison.Ordinal) ? ExampleCases.DotNet : "Sluice";
}
