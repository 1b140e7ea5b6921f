using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Bench.Logs;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class LogReadRowsTests
{
    [Fact]
    public async Task A_log_that_was_opened_after_a_crash_is_not_opened_again_as_one()
    {
        using var folder = new TempFolder();
        using var context = new BenchContext(folder.FullPath, BenchScale.Quick, CancellationToken.None);
        using Contest contest = LogReadRows.OpenAfterCrash().Open(context);
        contest.Sluice.Prepare!();
        var slice = new Slice(TimeSpan.FromSeconds(1), contest.Sluice.Loops, CancellationToken.None);
        slice.Start();
        await contest.Sluice.RunAsync(slice);
        slice.Operations.ShouldBe(1, "the second would be of a log that was closed in good order");
    }
}
