using Shouldly;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class HelpTests
{
    [Theory]
    [InlineData("--help")]
    [InlineData("help")]
    public async Task The_overview_has_the_commands_in_groups(string typed)
    {
        ToolRun run = await ToolRun.RunAsync(typed);
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldMatch("(?s)Measure:.*  speed .*Files:.*  copy .*Compare:.*  compare .*Replays of published experiments:.*  figures ");
    }

    [Theory]
    [InlineData("speed")]
    [InlineData("bench")]
    [InlineData("doctor")]
    [InlineData("advise")]
    [InlineData("ops")]
    [InlineData("copy")]
    [InlineData("extents")]
    [InlineData("frag")]
    [InlineData("log")]
    [InlineData("compare")]
    [InlineData("figures")]
    [InlineData("tables")]
    [InlineData("examples")]
    [InlineData("methods")]
    public async Task A_command_has_two_examples_that_it_understands_and_its_exit_codes(string command)
    {
        ToolRun run = await ToolRun.RunAsync(command, "--help");
        run.ExitCode.ShouldBe(ExitCode.Success, run.Error);
        run.Out.ShouldContain("Exit codes:");
        string[] examples = [.. run.Out.Split('\n').Where(l => l.StartsWith($"  sluice {command}", StringComparison.Ordinal))];
        examples.Length.ShouldBe(2);
        foreach (string example in examples)
        {
            // Options that do not exist would be refused before the help is printed.
            ToolRun understood = await ToolRun.RunAsync([.. example.Trim().Split(' ').Skip(1), "--help"]);
            understood.ExitCode.ShouldBe(ExitCode.Success, understood.Error);
        }
    }
}
