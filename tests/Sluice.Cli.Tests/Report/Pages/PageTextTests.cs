using Shouldly;
using Sluice.Cli.Report.Pages;
using Sluice.Cli.Terminal;
using Xunit;

namespace Sluice.Cli.Tests.Report.Pages;

public sealed class PageTextTests
{
    [Fact]
    public void Piped_text_has_plain_columns_and_no_charts()
    {
        var output = new StringWriter();
        PageText.Write(new TerminalStreams(output, TextWriter.Null, () => TextReader.Null), SamplePage.Make());
        output.ToString().ShouldNotContain("\e");
        output.ToString().ShouldContain("three                                                5.25  c");
    }
}
