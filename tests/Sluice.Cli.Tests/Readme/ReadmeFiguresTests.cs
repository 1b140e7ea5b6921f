using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Readme;

public sealed class ReadmeFiguresTests
{
    [Fact]
    public void Only_what_stands_between_the_markers_is_replaced()
    {
        string page = $"before\n{ReadmeFigures.Begin}\nold\n{ReadmeFigures.End}\nafter\n";

        ReadmeFigures.Replace(page, "new\n").ShouldBe($"before\n{ReadmeFigures.Begin}\nnew\n{ReadmeFigures.End}\nafter\n");
    }

    [Fact]
    public void Page_without_markers_is_refused() =>
        Should.Throw<InvalidDataException>(() => ReadmeFigures.Replace("no markers", "new"));

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

    private static RowReport Row(string name, double ratio) => new()
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
    };
}
