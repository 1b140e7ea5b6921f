using Shouldly;
using Sluice.Cli.Load;
using Sluice.Cli.Programs;
using Sluice.Cli.Programs.Measuring;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Programs.Measuring;

/// <summary>Rows of `methods`, `examples` and `ops`: what is timed, what is reported, and how the command ends.</summary>
public sealed class TimedRowTests : FolderTest
{
    [Fact]
    public async Task A_wrong_result_is_a_marked_row_and_exit_code_1()
    {
        (int exitCode, string output, string error) = await RunAsync(Row("right"), Row("wrong", check: _ => "0 bytes, not 1,000"));
        exitCode.ShouldBe(ExitCode.IoError);
        output.Split('\n').Single(l => l.StartsWith("right ", StringComparison.Ordinal)).ShouldEndWith("  right");
        output.ShouldContain("WRONG: 1000 B: 0 bytes, not 1,000");
        error.ShouldBe("sluice: Work: wrong, 1000 B, gave a wrong result: 0 bytes, not 1,000\n");
    }

    [Fact]
    public async Task A_wrong_row_is_not_what_others_are_compared_with()
    {
        TimedRow slow = Row("slow", run: async () =>
        {
            await Task.Delay(5);
            return null;
        });
        RowTimer timer = await Timing.RunAsync(Folder.FullPath, Row("wrong", check: _ => "nothing"), slow);
        PageTable table = TimedReport.Sections(timer.Results, "way", bySize: false).Single().Tables.Single();
        int ratio = table.Columns.Index().Single(c => c.Item.Name == "ratio").Index;
        table.Rows.Single(r => r.CellAt(0).Text == "slow").CellAt(ratio).Value.ShouldBe(1);
    }

    [Fact]
    public async Task An_unsupported_row_is_left_out_with_its_reason()
    {
        (int exitCode, string output, string error) = await RunAsync(Row("right"), Unsupported);
        exitCode.ShouldBe(ExitCode.Success, error);
        output.ShouldContain("note: Work: unsupported was not measured: no such space");
        output.Split('\n').ShouldNotContain(l => l.StartsWith("unsupported ", StringComparison.Ordinal));
    }

    [Fact]
    public async Task It_is_an_error_if_no_row_is_supported()
    {
        (int exitCode, _, string error) = await RunAsync(Unsupported);
        exitCode.ShouldBe(ExitCode.IoError);
        error.ShouldContain("Work: unsupported was not measured: no such space");
    }

    [Fact]
    public async Task The_new_file_is_deleted_before_each_run_and_the_opened_one_closed_after_it()
    {
        string path = Folder["new.dat"];
        var opened = new List<FileStream>();
        var row = new TimedRow("Work", "new", IoSide.Sluice, 1, () => Task.FromResult<object?>(opened[^1].Name), opening =>
        {
            opened[^1].CanWrite.ShouldBeFalse();
            return (string)opening! == path ? null : "another file";
        })
        {
            NewFile = path,
            Open = () =>
            {
                opened.Add(new FileStream(path, FileMode.CreateNew, FileAccess.Write));
                return opened[^1];
            },
        };
        RowTimer timer = await Timing.RunAsync(Folder.FullPath, row);
        await timer.MeasureAsync([row], runs: 3);
        timer.Results.Select(r => r.Wrong).ShouldBe([null, null]);
        opened.Count.ShouldBe(4);
    }

    private static TimedRow Unsupported => Row("unsupported", run: () => throw new NotSupportedException("no such space"));

    private static TimedRow Row(string name, Func<Task<object?>>? run = null, Func<object?, string?>? check = null) =>
        new("Work", name, IoSide.Bcl, 1000, run ?? (() => Task.FromResult<object?>(null)), check ?? (_ => null));

    /// <summary>Warms rows up and measures them like a command.</summary>
    private async Task<(int ExitCode, string Out, string Error)> RunAsync(params TimedRow[] rows)
    {
        var (output, error) = (new StringWriter(), new StringWriter());
        var context = new CommandContext(
            [], new TerminalStreams(output, error, () => TextReader.Null), new PageOutput([]), CancellationToken.None);
        var run = new MeasuringRun(context, Folder.FullPath);
        var (timer, measured) = await run.InScratchAsync(async (folder, progress) =>
        {
            var timer = new RowTimer(folder, rounds: 1, progress, CancellationToken.None);
            await timer.WarmUpAsync(rows);
            return (timer, await ProgramRun.RunStepsAsync([rows], step => timer.MeasureAsync(step), CancellationToken.None));
        });
        int exitCode = run.Finish(
            measured, "rows", timer.Notes, TimedReport.Sections(timer.Results, "way", bySize: false), timer.Errors);
        return (exitCode, output.ToString(), error.ToString());
    }
}
