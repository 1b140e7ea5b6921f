using Shouldly;
using Sluice.Cli.Report;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class TextTableTests
{
    [Fact]
    public void Piped_columns_line_up_without_trailing_blanks()
    {
        TextTable table = Table(
            [PageColumn.Text("row"), "ratio", PageColumn.Text("")], new PageRow("direct", "1.05", "ok"), new PageRow("x", "12.00"));
        table.ToPlainText().ShouldBe("row     ratio\ndirect   1.05  ok\nx       12.00\n");
    }

    [Fact]
    public void Signs_that_take_two_columns_count_as_two()
    {
        TextTable table = Table([PageColumn.Text("file"), "n"], new PageRow("\u8cc7\u6599\u5eab", "1"), new PageRow("a", "12"));
        table.ToPlainText().ShouldBe("file     n\n\u8cc7\u6599\u5eab   1\na       12\n");
    }

    [Theory]
    [InlineData(80, false)]
    [InlineData(200, true)]
    public void Columns_are_chosen_by_width_and_no_number_is_broken(int width, bool hasAll)
    {
        string text = WideTable(new TerminalStreams(new StringWriter(), TextWriter.Null, () => TextReader.Null)
        {
            IsOutputTerminal = true,
            NoColor = true,
            Width = width,
        });
        string[] lines = text.Split('\n');
        lines.ShouldAllBe(l => l.Length <= width);
        lines.ShouldContain(l => l.Contains("1,234,567.8", StringComparison.Ordinal) && l.Contains("12.34", StringComparison.Ordinal));
        text.Contains("88,888 / 99,999", StringComparison.Ordinal).ShouldBe(hasAll);
        text.Contains("--wide", StringComparison.Ordinal).ShouldBe(!hasAll);
    }

    private static string WideTable(TerminalStreams terminal)
    {
        TextTable table = Table(
            [PageColumn.Text("row"), "ratio", "Sluice", ".NET", "unit", "CPU ratio", "CPU us/op", "B/op"],
            new PageRow("read at random, direct, 4 KiB, 32 requests outstanding", "12.34", "1,234,567.8", "100,345.6", "IOPS", "1.05",
                "88,888 / 99,999", "0 / 1,234"));
        table.WriteTo(terminal);
        return terminal.Out.ToString()!;
    }

    private static TextTable Table(PageColumn[] columns, params PageRow[] rows) => new(new PageTable(columns, rows));

    [Fact]
    public void Without_colour_a_terminal_table_has_lines_but_no_colours()
    {
        var output = new StringWriter();
        Table([PageColumn.Text("a"), PageColumn.Text("verdict")], new PageRow("[1]", "slower"))
            .WriteTo(new TerminalStreams(output, TextWriter.Null, () => TextReader.Null) { IsOutputTerminal = true, NoColor = true });
        output.ToString().ShouldContain("│ [1] │ slower  │");
        output.ToString().ShouldNotContain("\e[");
    }

    [Fact]
    public void A_terminal_that_is_not_utf8_gets_a_frame_of_ascii()
    {
        var output = new StringWriter();
        Table([PageColumn.Text("name"), "rate"], new PageRow("a", "1"))
            .WriteTo(new TerminalStreams(output, TextWriter.Null, () => TextReader.Null)
            {
                IsOutputTerminal = true,
                IsUtf8 = false,
                NoColor = true,
            });
        output.ToString().ShouldContain("| a ");
        output.ToString().ShouldAllBe(c => char.IsAscii(c));
    }
}
