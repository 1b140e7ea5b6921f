using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Terminal;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Terminal;

public sealed class TerminalTextTests : FolderTest
{
    [Theory]
    [InlineData("as long as it may be", 20, 0, "as long as it may be")]
    [InlineData("one word more than there is room", 24, 2, "one word more than there|  is room")]
    [InlineData("device    one, two, three, four, five", 30, 10, "device    one, two, three,|          four, five")]
    [InlineData("a /path/that/is/longer/than/a/line end", 22, 2, "a|  /path/that/is/longer/than/a/line|  end")]
    [InlineData("/path/that/is/longer/than/a/line", 20, 2, "/path/that/is/longer/than/a/line")]
    [InlineData("blanks at the end      ", 20, 0, "blanks at the end")]
    [InlineData("", 20, 4, "")]
    [InlineData("\u8cc7\u6599\u5eab and \u5099\u4efd of today", 22, 2, "\u8cc7\u6599\u5eab and \u5099\u4efd of|  today")]
    [InlineData("cafe\u0301 and the\u0301", 12, 2, "cafe\u0301 and the\u0301")]
    public void Lines_are_broken_at_blanks(string text, int width, int hang, string lines) =>
        TerminalText.Wrap(text, width, hang).ShouldBe(lines.Split('|'));

    [Fact]
    public void A_question_is_broken_at_blanks_too()
    {
        var error = new StringWriter { NewLine = "\n" };
        var terminal = new TerminalStreams(TextWriter.Null, error, () => new StringReader("y\n")) { IsErrorTerminal = true, Width = 20 };
        terminal.Confirm("one two three four five six").ShouldBeTrue();
        error.ToString().ShouldBe("one two three four\nfive six [y/N] ");
    }

    [Fact]
    public void What_is_on_the_line_already_counts() =>
        TerminalText.Wrap("tried and found", width: 40, hang: 20, used: 30).ShouldBe(["tried and", $"{new string(' ', 20)}found"]);

    [Fact]
    public void A_column_that_leaves_no_room_is_moved_to_the_left() =>
        TerminalText.Wrap("some words that do not fit", width: 22, hang: 18).ShouldBe(["some words that do not", "  fit"]);

    [Fact]
    public async Task No_name_of_a_file_steers_the_terminal()
    {
        const string Evil = "evil\e]0;title\a\e[2J\rname";
        await CommandChecks.FailsAsync("evil?]0;title??[2J name", "copy", Folder[Evil], Folder["b"]);

        File.WriteAllText(Folder[Evil], "x");
        foreach (string[] line in (string[][])[["copy", "-r", Folder.FullPath, $"{Folder.FullPath}.copy"], ["extents", Folder.FullPath],
            ["speed", "-t0.1", "--warmup", "0", "-b1", Folder[Evil]]])
        {
            ToolRun run = await ToolRun.SucceedAsync(line);
            (run.Out + run.Error).Replace("\n", "", StringComparison.Ordinal).ShouldNotContain(c => char.IsControl(c), line[0]);
        }
        Directory.Delete($"{Folder.FullPath}.copy", recursive: true);
    }

    [Theory]
    [InlineData("-q")]
    [InlineData("--csv", "-")]
    [InlineData("--html=-")]
    [InlineData("--json", "-")]
    [InlineData("--wide", "--csv", "-")]
    public async Task No_name_in_data_that_is_shown_in_a_terminal_steers_it(params string[] options)
    {
        string evil = Folder["evil\e]0;title\a\u009b2Jname"];
        File.WriteAllText(evil, "x");
        string[] line = ["speed", "-t0.1", "--warmup", "0", "-b1", .. options, evil];
        (await RunAsync(isTerminal: true)).ShouldNotContain(c => char.IsControl(c) && c != '\n' && c != '\t');
        // Programs get what it is.
        string piped = await RunAsync(isTerminal: false);
        piped.ShouldContain(options.Contains("--json") ? "evil\\u001B" : "evil\e");

        async Task<string> RunAsync(bool isTerminal)
        {
            var output = new StringWriter();
            var error = new StringWriter();
            var terminal = new TerminalStreams(output, error, () => TextReader.Null) { IsOutputTerminal = isTerminal, NoColor = true };
            (await SluiceTool.RunAsync(line, terminal, CancellationToken.None)).ShouldBe(ExitCode.Success, error.ToString());
            return output.ToString();
        }
    }
}
