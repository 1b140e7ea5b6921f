using Shouldly;
using Sluice.Cli.Report;
using Sluice.Cli.Tests.Support;
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

    [SkippableTheory]
    [InlineData("100", "350", 250L)]
    [InlineData("4294967290", "10", 16L)]
    [InlineData("", "10", null)]
    public void The_kernels_count_of_queued_time_may_begin_again(string before, string after, long? came)
    {
        Skip.If(OperatingSystem.IsWindows(), "links need rights there");
        using var folder = new TempFolder();
        Directory.CreateDirectory(folder["device/queue"]);
        Directory.CreateSymbolicLink(folder["8:0"], "device");
        uint? Look(string count)
        {
            File.WriteAllText(folder["device/stat"], $"  1 0 8 1 0 0 0 0  0   7 {count}\n");
            return BlockDevice.FromLink(folder["8:0"])!.QueueMilliseconds;
        }
        uint? first = Look(before);
        BlockDevice.QueuedBetween(first, Look(after)).ShouldBe(came);
    }

    [Fact]
    public void A_number_that_no_device_has_gives_none() => BlockDevice.FromNumber("4095:1048575").ShouldBeNull();
}
