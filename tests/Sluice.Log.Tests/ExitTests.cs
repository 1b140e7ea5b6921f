namespace Sluice.Log.Tests;

/// <summary>A process with an open log ends, whatever its threads are in the middle of.</summary>
[Trait("Runs", "once")]
public sealed class ExitTests
{
    [Theory]
    [InlineData("own")]
    [InlineData("main")]
    public async Task A_process_that_exits_beside_an_open_reservation_keeps_its_records(string kind)
    {
        using TempFolder folder = new();
        using ChildProcess child = new("exit", folder.Log, kind);
        (_, int exitCode, string errors) = await child.FinishAsync();
        exitCode.ShouldBe(kind == "main" ? 0 : 7, errors);
        folder.ReadWritten().Select(static r => Records.Check(r.Bytes).Number).ShouldBe([0, 1]);
    }

    /// <summary>A handler of an exception in the log exits, or the disk does not respond when the log is to be closed.</summary>
    [SkippableTheory]
    [InlineData("handler")]
    [InlineData("disk")]
    public async Task A_process_exits_though_its_log_cannot_be_closed(string kind)
    {
        Linux.OrSkip();
        using TempFolder folder = new();
        using ChildProcess child = new("exit", folder.Log, kind);
        (_, int exitCode, string errors) = await child.FinishAsync();
        exitCode.ShouldBe(7, errors);
    }
}
