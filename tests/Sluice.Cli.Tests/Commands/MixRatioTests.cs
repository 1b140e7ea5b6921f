using Shouldly;
using Sluice.Cli.Commands;
using Xunit;

namespace Sluice.Cli.Tests.Commands;

public sealed class MixRatioTests
{
    [Theory]
    [InlineData("70:30", 0.3)]
    [InlineData("1:1", 0.5)]
    [InlineData("0:5", 1)]
    [InlineData("5:0", 0)]
    public void Write_share_is_the_proportion_of_writes(string text, double expected)
    {
        MixRatio.TryParse(text, out MixRatio mix).ShouldBeTrue();
        mix.WriteShare.ShouldBe(expected, 1e-12);
    }

    [Theory]
    [InlineData("0:0")]
    [InlineData("70")]
    [InlineData("70:30:1")]
    [InlineData("-1:2")]
    [InlineData("a:b")]
    [InlineData("")]
    [InlineData(null)]
    public void Anything_else_is_refused(string? text) => MixRatio.TryParse(text, out _).ShouldBeFalse();
}
