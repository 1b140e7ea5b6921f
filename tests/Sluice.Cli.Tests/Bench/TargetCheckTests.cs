using Shouldly;
using Sluice.Cli.Bench;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class TargetCheckTests
{
    private static RowReport Row(double ratio, double cpuRatio, double allocated = 0, double? fioRatio = null,
        double? secondRatio = null) => new()
        {
            Suite = "s",
            Id = "i",
            Name = "n",
            Why = "w",
            Unit = "IOPS",
            Rounds = 5,
            Ratio = ratio,
            CpuRatio = cpuRatio,
            FioRatio = fioRatio,
            Sluice = new ContenderReport("Sluice", 1, 1, allocated, []),
            DotNet = new ContenderReport(".NET", 1, 1, 0, []),
            Second = secondRatio is null ? null : new ContenderReport("sync", 1, 1, 0, []),
            SecondRatio = secondRatio,
            Targets = [],
        };

    [Theory]
    [InlineData(2.5, true)]
    [InlineData(2.495001, true)]
    [InlineData(2.494, false)]
    public void A_ratio_must_be_reached(double ratio, bool reached) =>
        TargetCheck.Evaluate(new RowTarget { MinRatio = 2.5 }, Row(ratio, 1)).ShouldHaveSingleItem().Reached.ShouldBe(reached);

    [Theory]
    [InlineData(2.5, true)]
    [InlineData(2.0, false)]
    public void A_CPU_share_is_the_inverse_of_the_CPU_ratio(double cpuRatio, bool reached)
    {
        TargetReport target = TargetCheck.Evaluate(new RowTarget { MaxCpuShare = 0.4 }, Row(1, cpuRatio)).ShouldHaveSingleItem();
        target.Requirement.ShouldBe("CPU share <= 0.4");
        target.Actual.ShouldBe(1 / cpuRatio);
        target.Reached.ShouldBe(reached);
    }

    [Theory]
    [InlineData(0.4, true)]
    [InlineData(0.6, false)]
    public void Allocations_are_counted_in_whole_bytes(double allocated, bool reached) =>
        TargetCheck.Evaluate(new RowTarget { MaxAllocatedBytes = 0 }, Row(1, 1, allocated)).ShouldHaveSingleItem().Reached.ShouldBe(
            reached);

    [Theory]
    [InlineData(464, 464.4, true)]
    [InlineData(464, 465, false)]
    [InlineData(0, 0.6, false)]
    public void Where_it_may_allocate_no_more_than_NET_that_is_the_limit(double dotNet, double sluice, bool reached)
    {
        RowReport row = Row(1, 1, sluice) with { DotNet = new ContenderReport(".NET", 1, 1, dotNet, []) };
        TargetReport target = TargetCheck.Evaluate(new RowTarget { AllocatesNoMore = true }, row).ShouldHaveSingleItem();
        target.Requirement.ShouldBe($"B/op <= {dotNet}");
        target.Reached.ShouldBe(reached);
    }

    [Theory]
    [InlineData(100, true)]
    [InlineData(99, false)]
    public void An_operation_may_take_no_longer(double operationsPerSecond, bool reached)
    {
        RowReport row = Row(1, 1) with { Sluice = new ContenderReport("Sluice", operationsPerSecond, 1, 0, []) };
        TargetReport target = TargetCheck.Evaluate(new RowTarget { MaxMilliseconds = 10 }, row).ShouldHaveSingleItem();
        target.Requirement.ShouldBe("ms <= 10");
        target.Reached.ShouldBe(reached);
    }

    [Fact]
    public void Without_fio_its_target_is_not_judged() =>
        TargetCheck.Evaluate(new RowTarget { MinFioRatio = 0.95 }, Row(1, 1)).ShouldBeEmpty();

    [Fact]
    public void Each_missed_target_is_named_in_the_verdict()
    {
        var target = new RowTarget { MinRatio = 2, MinFioRatio = 0.95, MinSecondRatio = 0.95 };
        RowReport row = Row(1, 1, fioRatio: 0.9, secondRatio: 1);
        row = row with { Targets = TargetCheck.Evaluate(target, row) };
        row.Reached.ShouldBe(false);
        row.Requirement.ShouldBe("ratio >= 2, to fio >= 0.95");
    }
}
