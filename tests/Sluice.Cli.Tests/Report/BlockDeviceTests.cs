using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class BlockDeviceTests
{
    [Theory]
    [InlineData("none [mq-deadline] kyber bfq", "mq-deadline")]
    [InlineData("[none] mq-deadline", "none")]
    [InlineData("none", "none")]
    [InlineData(null, null)]
    public void The_active_scheduler_is_the_bracketed_one(string? choices, string? active) =>
        BlockDevice.ActiveOf(choices).ShouldBe(active);

    [Fact]
    public void A_number_that_no_device_has_gives_none() => BlockDevice.FromNumber("4095:1048575").ShouldBeNull();
}
