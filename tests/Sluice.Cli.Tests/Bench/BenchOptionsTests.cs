using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Commands;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class BenchOptionsTests
{
    [Fact]
    public void Without_a_suite_or_a_row_the_handle_suite_runs() =>
        new BenchOptions("d").SelectSuites().ShouldHaveSingleItem().Name.ShouldBe("handle");

    [Fact]
    public void All_runs_every_suite() => new BenchOptions("d") { Suite = "all" }.SelectSuites().ShouldBe(Suite.All);

    [Fact]
    public void A_row_is_looked_for_in_every_suite_unless_one_is_named()
    {
        string[] ids = [.. new BenchOptions("d") { RowFilter = "open" }.SelectRows().Select(r => r.Row.Id)];
        ids.ShouldContain("open-close");
        ids.ShouldContain("stream-open");
        ids.ShouldAllBe(id => id.Contains("open"));
        new BenchOptions("d") { RowFilter = "open", Suite = "stream" }.SelectRows().ShouldHaveSingleItem().Row.Id.ShouldBe("stream-open");
    }
}
