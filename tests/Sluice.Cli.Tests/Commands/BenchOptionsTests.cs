using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Everyday;
using Sluice.Cli.Commands;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class BenchOptionsTests
{
    private static readonly Suite[] AllButEveryday = [.. Suite.All.Where(s => s.Name != "everyday")];

    [Fact]
    public void Without_a_suite_a_row_or_full_everyday_work_runs()
    {
        foreach (BenchOptions options in (BenchOptions[])
            [new("d"), new("d") { SuiteName = "everyday" }, new("d") { RowFilter = "everyday-" }])
        {
            options.SelectRows().Select(r => r.Row.Id).ShouldBe(EverydaySuite.Create().Rows.Select(r => r.Id));
            options.Scale.ShouldBe(BenchScale.Everyday);
            options.IsEveryday.ShouldBeTrue();
        }
        new BenchOptions("d") { Quick = true }.SelectSuites().ShouldHaveSingleItem().Name.ShouldBe("everyday");
        new BenchOptions("d") { Quick = true }.Scale.ShouldBe(BenchScale.Quick);
    }

    [Fact]
    public void What_is_named_runs_at_its_usual_length()
    {
        new BenchOptions("d") { Full = true }.Scale.ShouldBe(BenchScale.Full);
        new BenchOptions("d") { SuiteName = "all" }.Scale.ShouldBe(BenchScale.Full);
        new BenchOptions("d") { RowFilter = "open-close" }.Scale.ShouldBe(BenchScale.Full);
        new BenchOptions("d") { SuiteName = "handle", Quick = true }.Scale.ShouldBe(BenchScale.Quick);
    }

    [Fact]
    public void All_runs_every_suite_but_everyday()
    {
        new BenchOptions("d") { SuiteName = "all" }.SelectSuites().ShouldBe(AllButEveryday);
        new BenchOptions("d") { Full = true }.SelectSuites().ShouldBe(AllButEveryday);
    }

    [Fact]
    public void A_row_is_looked_for_in_every_suite_unless_one_is_named()
    {
        string[] ids = [.. new BenchOptions("d") { RowFilter = "open" }.SelectRows().Select(r => r.Row.Id)];
        ids.ShouldContain("open-close");
        ids.ShouldContain("stream-open");
        ids.ShouldAllBe(id => id.Contains("open"));
        new BenchOptions("d") { RowFilter = "open", SuiteName = "stream" }.SelectRows()
            .ShouldHaveSingleItem().Row.Id.ShouldBe("stream-open");
    }
}
