using Shouldly;
using Sluice.Cli.Report;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class TextTableTests
{
    [Fact]
    public void Piped_columns_line_up_without_trailing_blanks()
    {
        var table = new TextTable("row", "ratio", "");
        table.Add("direct", "1.05", "ok");
        table.Add("x", "12.00");
        table.ToPlainText().ShouldBe("row     ratio\ndirect   1.05  ok\nx       12.00\n");
    }

    [Fact]
    public void Signs_that_take_two_columns_count_as_two()
    {
        var table = new TextTable("file", "n");
        table.Add("\u8cc7\u6599\u5eab", "1");
        table.Add("a", "12");
        table.ToPlainText().ShouldBe("file     n\n\u8cc7\u6599\u5eab   1\na       12\n");
    }

    [Theory]
    [InlineData(80, false)]
    [InlineData(200, true)]
    public void Columns_are_chosen_by_width_and_no_number_is_broken(int width, bool hasAll)
    {
        string text = WideTable(new TerminalStreams(new StringWriter(), TextWriter.Null, TextReader.Null)
        {
            IsOutputTerminal = true,
            NoColor = true,
            Width = width,
        });
        string[] lines = text.Split('\n');
        lines.ShouldAllBe(l => l.Length <= width);
        lines.ShouldContain(l => l.Contains("1,234,567.8", StringComparison.Ordinal) && l.Contains("12.34", StringComparison.Ordinal));
        text.ShouldContain("LOST: ratio");
        text.Contains("88,888 / 99,999", StringComparison.Ordinal).ShouldBe(hasAll);
        text.Contains("--wide", StringComparison.Ordinal).ShouldBe(!hasAll);
    }

    private static string WideTable(TerminalStreams terminal)
    {
        var table = new TextTable("row", "ratio", "Sluice", ".NET", "unit", "CPU ratio", "CPU us/op", "B/op", "")
        {
            LeftColumns = new HashSet<int> { 0 },
        };
        table.Add("read at random, direct, 4 KiB, 32 requests outstanding", "12.34", "1,234,567.8", "100,345.6", "IOPS", "1.05",
            "88,888 / 99,999", "0 / 1,234", "LOST: ratio >= 2.5");
        table.WriteTo(terminal);
        return terminal.Out.ToString()!;
    }

    [Fact]
    public void Without_colour_a_terminal_table_has_lines_but_no_colours()
    {
        var output = new StringWriter();
        var table = new TextTable("a", "");
        table.Add("[1]", "LOST: ratio");
        table.WriteTo(new TerminalStreams(output, TextWriter.Null, TextReader.Null) { IsOutputTerminal = true, NoColor = true });
        output.ToString().ShouldContain("│ [1] │ LOST: ratio │");
        output.ToString().ShouldNotContain("\e[");
    }

    [Fact]
    public void A_terminal_that_is_not_utf8_gets_a_frame_of_ascii()
    {
        var output = new StringWriter();
        var table = new TextTable("name", "rate");
        table.Add("a", "1");
        table.WriteTo(new TerminalStreams(output, TextWriter.Null, TextReader.Null) { IsOutputTerminal = true, IsUtf8 = false, NoColor = true });
        output.ToString().ShouldContain("| a ");
        output.ToString().ShouldAllBe(c => char.IsAscii(c));
    }
}
