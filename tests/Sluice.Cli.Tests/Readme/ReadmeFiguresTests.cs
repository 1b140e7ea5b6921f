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
    public void First_page_has_the_best_and_the_worst_row_of_each_suite_and_no_targets()
    {
        TargetReport missed = new("ratio >= 9", 1, false);
        BenchReport handle = Report(
            Row("middle", 1.5, missed), Row("worst", 0.5, missed),
            Row("best", 3, missed) with { Second = new ContenderReport("another", 500, 1, 0, [500]), SecondRatio = 2 });
        BenchReport files = Report(Row("only", 0.94) with { Suite = "files" });

        string block = ReadmeFigures.MakeFirstPage([handle, files]);

        block.ShouldContain("The middle ratio is 1.50 in `handle`, 0.94 in `files`; "
            + "of [all 4 rows](docs/figures.md) beside .NET 0 are faster, 0 slower, with 95 % confidence each; the others are even");
        block.Split('\n')[4..].ShouldBe(
        [
            "| `handle` | best | 3.00 | 12,346 IOPS | 999.4 IOPS | 3.00 | 0 / 120 | disk: fio 12,598 IOPS, ratio 0.98 |",
            "| | - to another | 2.00 | | 500.0 IOPS | | | |",
            "| `handle` | worst | 0.50 | 12,346 IOPS | 999.4 IOPS | 3.00 | 0 / 120 | disk: fio 12,598 IOPS, ratio 0.98 |",
            "| `files` | only | 0.94 | 12,346 IOPS | 999.4 IOPS | 3.00 | 0 / 120 | disk: fio 12,598 IOPS, ratio 0.98 |",
            "",
        ]);
    }

    [Fact]
    public void What_stands_beside_another_than_NET_says_so_and_is_none_of_the_first_pages()
    {
        RowReport beside = Row("copy", 9) with { DotNet = new ContenderReport("cp", 999.4, 3, 120, [999.4]) };
        BenchReport report = Report(Row("row", 2), beside);
        ReadmeFigures.Make(report, "x").ShouldContain("\n| copy, beside cp | 9.00 |");
        string block = ReadmeFigures.MakeFirstPage([report]);
        block.ShouldContain("The middle ratio is 2.00 in `handle`; of [all 1 rows](docs/figures.md) beside .NET ");
        block.ShouldNotContain("copy");
    }

    [Fact]
    public void First_page_praises_no_row_whose_rounds_differ_much()
    {
        string block = ReadmeFigures.MakeFirstPage(
        [
            Report(
                Of("wide", 3, 3, 3, 6, 30, 30, 30),
                Of("narrow", 2, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6),
                Of("slow", 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)),
        ]);

        block.ShouldContain("| narrow |");
        block.ShouldContain("| slow |");
        block.ShouldNotContain("| wide |");

        static RowReport Of(string name, params double[] ratios)
        {
            RowReport row = Row(name, ratios[ratios.Length / 2]);
            return row with
            {
                Rounds = ratios.Length,
                Sluice = row.Sluice with { SliceRates = ratios },
                DotNet = row.DotNet with { SliceRates = [.. ratios.Select(static _ => 1.0)] },
            };
        }
    }

    [Theory]
    [InlineData("ops/s", 1e8, 0.01, "instructions: 10.0 ns")]
    [InlineData("ops/s", 1e6, 1, "system calls: 1.0 us CPU")]
    [InlineData("ops/s", 2, 400_000, "processor: 400.0 ms CPU")]
    [InlineData("ops/s", 1000, 100, "waiting: 10 % CPU")]
    [InlineData("MiB/s", 6144, 160, "memory: 6.0 GiB/s")]
    [InlineData("MiB/s", 500, 1800, "processor: 1.8 ms CPU")]
    [InlineData("MiB/s", 6144, 16, "waiting: 10 % CPU")]
    public void Without_fio_what_bounds_a_row_follows_from_its_time(string unit, double rate, double cpuUs, string bound)
    {
        RowReport row = Row("of no suite", 2) with { Unit = unit, FioRate = null };
        ReadmeFigures.Limit(row with { Sluice = row.Sluice with { Rate = rate, CpuUsPerOperation = cpuUs } }).ShouldBe(bound);
    }

    [Fact]
    public void A_second_peer_that_is_fio_is_the_bound()
    {
        RowReport row = Row("row", 2) with { FioRate = null, Second = new ContenderReport("fio, reading", 2096, 1, 0, []) };
        ReadmeFigures.Limit(row).ShouldBe("disk: fio 2,096 IOPS");
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
