using Shouldly;
using Sluice.Cli.Report.Pages;
using Xunit;

namespace Sluice.Cli.Tests.Report.Pages;

public sealed class PageCsvTests
{
    [Fact]
    public void One_table_is_plain_csv_with_values_instead_of_their_texts()
    {
        string[] lines = Write(SamplePage.Make()).Split('\n');
        lines[0].ShouldBe("row,\"rate, MiB/s\",code");
        lines[1].ShouldBe("one,1234.25,a = b;");
        lines[3].ShouldBe("three,5.25,c");
    }

    [Fact]
    public void Several_tables_are_named_and_set_apart()
    {
        ReportPage page = SamplePage.Make();
        string text = Write(page with { Sections = [page.Sections[0], page.Sections[0] with { Heading = "Writing" }] });
        text.ShouldStartWith("Reading\nrow,");
        text.ShouldContain("\n\nWriting\nrow,");
    }

    private static string Write(ReportPage page)
    {
        var writer = new StringWriter { NewLine = "\n" };
        PageCsv.Write(writer, page);
        return writer.ToString();
    }
}
