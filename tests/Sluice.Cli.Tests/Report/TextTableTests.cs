using Shouldly;
using Sluice.Cli.Commands;
using Sluice.Cli.Report;
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
    public void Control_characters_in_names_are_not_printed()
    {
        var table = new TextTable("file", "n");
        table.Add("a\nb\e[2Jc", "1");
        table.ToPlainText().ShouldBe("file      n\na?b?[2Jc  1\n");
    }

    [Fact]
    public void A_piped_table_has_no_control_characters()
    {
        var output = new StringWriter();
        var table = new TextTable("a", "");
        table.Add("1", "LOST: ratio");
        table.WriteTo(new Terminal(output, TextWriter.Null, TextReader.Null));
        output.ToString().ShouldBe("a\n1  LOST: ratio\n");
    }

    [Fact]
    public void Without_colour_a_terminal_table_has_lines_but_no_colours()
    {
        var output = new StringWriter();
        var table = new TextTable("a", "");
        table.Add("[1]", "LOST: ratio");
        table.WriteTo(new Terminal(output, TextWriter.Null, TextReader.Null) { IsOutputTerminal = true, NoColor = true });
        output.ToString().ShouldContain("│ [1] │ LOST: ratio │");
        output.ToString().ShouldNotContain("\e[");
    }
}
