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

    /// <summary>fio(1): each colon of a path has a backslash before it; what 3.33 makes of other backslashes was tried.</summary>
    [Theory]
    [InlineData("/a:b/c", @"--filename=/a\:b/c")]
    [InlineData(@"/a\b/c", @"--filename=/a\b/c")]
    [InlineData(@"/a\:b/c", @"--filename=/a\\:b/c")]
    public void A_colon_in_a_path_parts_no_files(string path, string argument)
    {
        foreach (FioJob job in (FioJob[])[new("randwrite", 4096, 1), new("write", 200, 1) { IsDurable = true }])
            FioRunner.Arguments(job, path, 1 << 20, TimeSpan.FromSeconds(1)).ShouldContain(argument);
    }

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
