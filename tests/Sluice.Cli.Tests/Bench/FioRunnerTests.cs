using Shouldly;
using Sluice.Cli.Bench;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class FioRunnerTests
{
    private const string Output = """
        note: both iodepth >= 1 and synchronous I/O engine are selected
        {"jobs":[{"read":{"iops":123.5},"write":{"iops":77.25}}]}
        """;

    [Fact]
    public void Figures_are_read_from_behind_the_notes()
    {
        FioRunner.ParseIops(Output, isWrite: false).ShouldBe(123.5);
        FioRunner.ParseIops(Output, isWrite: true).ShouldBe(77.25);
    }

    [Theory]
    [InlineData("")]
    [InlineData("fio: out of memory")]
    [InlineData("{}")]
    [InlineData("""{"jobs":[]}""")]
    [InlineData("""{"jobs":[{"read":{}}]}""")]
    public void Anything_else_is_an_IO_error(string output) =>
        Should.Throw<IOException>(() => FioRunner.ParseIops(output, isWrite: false));
}
