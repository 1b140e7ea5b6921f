using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Commands;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class BenchOptionsTests
{
    [Fact]
    public void Without_a_suite_or_a_row_all_suites_run_in_their_short_form()
    {
        var options = new BenchOptions("d");
        options.SelectSuites().ShouldBe(Suite.All.Where(s => s.Name != "remote"));
        options.IsShort.ShouldBeTrue();
        options.Scale.ShouldBe(BenchScale.Short);
    }

    [Fact]
    public void What_is_named_runs_at_its_usual_length()
    {
        new BenchOptions("d") { Full = true }.Scale.ShouldBe(BenchScale.Full);
        new BenchOptions("d") { SuiteName = "all" }.Scale.ShouldBe(BenchScale.Full);
        new BenchOptions("d") { RowFilter = "open" }.Scale.ShouldBe(BenchScale.Full);
        new BenchOptions("d") { SuiteName = "handle", Quick = true }.Scale.ShouldBe(BenchScale.Quick);
    }

    [Fact]
    public void All_runs_every_suite_but_those_on_request() =>
        new BenchOptions("d") { SuiteName = "all" }.SelectSuites().ShouldBe(Suite.All.Where(s => s.Name != "remote"));

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

    [Fact]
    public void A_row_of_a_suite_on_request_is_found_where_no_other_is_meant()
    {
        new BenchOptions("d") { RowFilter = "remote-copy-tree" }.SelectRows().ShouldHaveSingleItem().Suite.Name.ShouldBe("remote");
        IReadOnlyList<(Suite Suite, Row Row)> copies = new BenchOptions("d") { RowFilter = "copy" }.SelectRows();
        copies.ShouldNotBeEmpty();
        copies.ShouldAllBe(r => r.Suite.Name != "remote");
        new BenchOptions("d") { RowFilter = "remote-copy-tree", SuiteName = "all" }.SelectRows().ShouldBeEmpty();
    }
}
