using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class CsvTests
{
    [Fact]
    public void Numbers_have_a_point_and_nothing_is_nothing() =>
        Csv.Line(1, 2.5, 1234567.0, null, true, long.MaxValue).ShouldBe("1,2.5,1234567,,true,9223372036854775807");

    [Fact]
    public void Text_with_commas_quotes_or_line_ends_is_quoted() =>
        Csv.Line("plain", "a,b", "say \"hi\"", "two\nlines").ShouldBe("plain,\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"");
}
