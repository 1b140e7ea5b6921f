using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

[Trait("Runs", "once")]
public sealed class HelpTests : FolderTest
{
    [Theory]
    [InlineData("--help")]
    [InlineData("help")]
    public async Task The_overview_has_the_commands_in_groups(string typed)
    {
        ToolRun run = await ToolRun.SucceedAsync(typed);
        string[] lines = run.Out.TrimEnd('\n').Split('\n');
        lines.Length.ShouldBeLessThan(24);
        lines.ShouldAllBe(l => l.Length <= 80);
        run.Out.ShouldMatch("(?s)Measure:.*  speed .*Files:.*  copy .*Compare:.*  compare .*Replays of published experiments:.*  figures ");
    }

    /// <summary>The overview names all commands, and a switch has no value.</summary>
    [Fact]
    public async Task A_command_has_two_examples_that_it_understands_its_exit_codes_and_values_of_options_without_them()
    {
        string[] overview = (await ToolRun.RunAsync("--help")).Out.Split('\n');
        string[] commands =
        [
            .. overview.Where(l => l.StartsWith("  ", StringComparison.Ordinal) && l.Length > 2 && l[2] != ' ')
                .Select(l => l.Trim().Split(' ')[0]),
        ];
        commands.Length.ShouldBe(15);
        foreach (string command in commands)
        {
            ToolRun run = await ToolRun.SucceedAsync(command, "--help");
            foreach (string code in (string[])["0", "1", "2", "130", "143"])
                run.Out.ShouldMatch($"(?s)Exit codes:.*\n  {code} +[a-z]");
            string[] options =
            [
                .. run.Out.Split('\n').SkipWhile(l => l != "Options:").TakeWhile(l => l.Length > 0)
                    .Where(l => l.Contains('<', StringComparison.Ordinal)),
            ];
            options.ShouldNotBeEmpty(command);
            foreach (string option in options)
                option.TrimEnd().ShouldMatch(@"\([^()]+(\([^()]*\))?[^()]*\)\.?$", $"{command}: {option}");

            string[] examples = Examples(run);
            examples.Length.ShouldBe(2);
            foreach (string example in examples)
            {
                example.ShouldContain($"sluice {command}");
                foreach (string one in example.Split(';'))
                {
                    string[] typed = [.. one.Trim().Split(' ').Skip(1).Select(a => a.Trim('\''))];
                    var terminal = new TerminalStreams(TextWriter.Null, TextWriter.Null, () => TextReader.Null);
                    Should.NotThrow(() => SluiceTool.Parse(typed, terminal, CancellationToken.None), one);
                }
            }
        }
    }

    /// <summary>Those that take no time; the others measure.</summary>
    [SkippableFact]
    public async Task Examples_run_as_they_are_typed_in_an_empty_folder()
    {
        Skip.IfNot(OperatingSystem.IsLinux(), "they are typed into a shell");
        string[] examples =
        [
            Examples(await ToolRun.RunAsync("copy", "--help"))[0],
            Examples(await ToolRun.RunAsync("merge", "--help"))[1],
            .. Examples(await ToolRun.RunAsync("frag", "--help")),
        ];
        string folder = Directory.CreateDirectory(Folder["empty"]).FullName;
        foreach (string example in examples)
        {
            string line = $"cd \"$1\"; dotnet=$2 tool=$3; sluice() {{ \"$dotnet\" \"$tool\" \"$@\"; }}; {example}";
            (int exitCode, string output) = Shell.Run("sh", "-c", line, "sh", folder, ToolProcess.DotnetPath, ToolProcess.ToolPath);
            exitCode.ShouldBe(ExitCode.Success, $"{example}: {output}");
        }
    }

    private static string[] Examples(ToolRun help) =>
    [
        .. help.Out.Split('\n').SkipWhile(l => l != "Examples:")
            .Where(l => l.StartsWith("  sluice ", StringComparison.Ordinal)).Select(l => l.Trim()),
    ];
}
