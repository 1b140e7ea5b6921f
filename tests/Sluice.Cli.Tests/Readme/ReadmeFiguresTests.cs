using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

public sealed class ReadmeFiguresTests
{
    [Fact]
    public void Row_that_falls_short_says_so_and_one_that_reaches_its_target_does_not()
    {
        BenchReport report = Report(
            Row("reached", ratio: 2.5, new TargetReport("ratio >= 2", 2.5, true)),
            Row("missed", ratio: 0.94, new TargetReport("ratio >= 1", 0.94, false), new TargetReport("B/op <= 0", 0, true)));

        string[] lines = ReadmeFigures.Make(report, "bench/results/here/handle.json").Split('\n');

        lines[0].ShouldContain("[raw figures](bench/results/here/handle.json)");
        lines[^3].ShouldBe("| reached | 2.50 | 12,346 IOPS | 999.4 IOPS | 3.00 | 0 / 120 | 0.98 |  |  |");
        lines[^2].ShouldBe("| missed | 0.94 | 12,346 IOPS | 999.4 IOPS | 3.00 | 0 / 120 | 0.98 |  | falls short of ratio >= 1 |");
    }

    [Fact]
    public void Ratios_of_CPU_time_and_to_fio_have_their_intervals()
    {
        RowReport row = Row("row", ratio: 2) with { CpuRatioLow = 2.5, CpuRatioHigh = 3.5, FioRatioLow = 0.9, FioRatioHigh = 1.05 };

        ReadmeFigures.Make(Report(row), "x").ShouldEndWith(
            "| row | 2.00 | 12,346 IOPS | 999.4 IOPS | 3.00 (2.50-3.50) | 0 / 120 | 0.98 (0.90-1.05) |  |  |\n");
    }

    [Fact]
    public void Second_peer_has_a_line_of_its_own()
    {
        RowReport row = Row("row", ratio: 2) with { Second = new ContenderReport("the other", 500, 1, 0, [500]), SecondRatio = 24.69 };

        ReadmeFigures.Make(Report(row), "x").ShouldEndWith("|\n| - to the other | 24.69 | | 500.0 IOPS | | | | | |\n");
    }

    [Fact]
    public void Only_what_stands_between_the_markers_is_replaced()
    {
        string page = $"before\n{ReadmeFigures.Begin("a")}\nold\n{ReadmeFigures.End("a")}\nafter\n";

        ReadmeFigures.Replace(page, "a", "new\n").ShouldBe($"before\n{ReadmeFigures.Begin("a")}\nnew\n{ReadmeFigures.End("a")}\nafter\n");
    }

    [Fact]
    public void Page_without_markers_is_refused() =>
        Should.Throw<InvalidDataException>(() => ReadmeFigures.Replace("no markers", "", "new"));

    [Fact]
    public void Suite_counts_the_rows_that_reach_their_targets()
    {
        BenchReport report = Report(
            Row("reached", ratio: 2, new TargetReport("ratio >= 1", 2, true)),
            Row("missed", ratio: 0.94, new TargetReport("ratio >= 1", 0.94, false)),
            Row("no target", ratio: 1));

        ReadmeFigures.Make(report, "x").ShouldContain("1 of 2 rows reach the target that was set for them.");
    }

    [Fact]
    public void First_page_has_a_line_for_each_row_and_says_what_was_not_measured()
    {
        RowReport lower = Row("the slower one", 0.5) with { RatioLow = 0.4, RatioHigh = 0.6, Unit = "MiB/s" };
        RowReport higher = Row("the faster one", 12.34) with { RatioLow = 10.04, RatioHigh = 130 };
        BenchReport report = Report(lower, higher) with { Skipped = [new SkippedRow("direct", "no direct I/O")] };

        string[] lines = ReadmeFigures.MakeFirstPage(report, "bench/results/x/everyday.json").Split('\n');

        lines[..6].ShouldBe(
        [
            "|                               |     ratio (95 %) |     Sluice |       .NET |",
            "|-------------------------------|-----------------:|-----------:|-----------:|",
            "| the slower one                | 0.50 (0.40-0.60) | 12.1 GiB/s |  999 MiB/s |",
            "| the faster one                |  12.3 (10.0-130) |   12.3 k/s |     999 /s |",
            "| direct                        |          skipped |            |            |",
            "",
        ]);
        string below = string.Join(' ', lines[6..]);
        below.ShouldStartWith("1 faster, 0 even, 1 slower, 1 skipped; lowest: the slower one, 0.50. Ratio: Sluice to .NET, above 1 ");
        below.ShouldEndWith("engine uring, by [`sluice bench`](bench/results/x/everyday.json). ");
        lines.ShouldAllBe(static line => line.Length <= 80);
    }

    [Fact]
    public void What_stands_beside_another_than_NET_says_so()
    {
        RowReport beside = Row("copy", 9) with { DotNet = new ContenderReport("cp", 999.4, 3, 120, [999.4]) };
        ReadmeFigures.Make(Report(Row("row", 2), beside), "x").ShouldContain("\n| copy, beside cp | 9.00 |");
    }

    private static BenchReport Report(params RowReport[] rows) => new()
    {
        Started = new DateTimeOffset(2026, 1, 2, 3, 4, 5, TimeSpan.Zero),
        Arguments = ["bench"],
        Environment = new EnvironmentRecord
        {
            OperatingSystem = "os",
            Kernel = "6.1",
            Runtime = ".NET 10",
            RuntimeMode = "JIT",
            SluiceVersion = "1",
            Engine = "uring",
            Processor = "cpu",
            ProcessorCount = 2,
            MemoryBytes = 1,
        },
        Fio = "fio",
        Quick = false,
        Seconds = 1,
        Interrupted = false,
        Rows = rows,
    };

    private static RowReport Row(string name, double ratio, params TargetReport[] targets) => new()
    {
        Suite = "handle",
        Id = name,
        Name = name,
        Why = "why",
        Unit = "IOPS",
        Rounds = 1,
        Sluice = new ContenderReport("Sluice", 12_345.6, 1, 0.4, [12_345.6]),
        DotNet = new ContenderReport(".NET", 999.4, 3, 120, [999.4]),
        Ratio = ratio,
        CpuRatio = 3,
        FioRate = 12_598,
        FioRatio = 0.98,
        Targets = targets,
    };
}
