using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class MountTableTests
{
    private static readonly string[] Lines =
    [
        "27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard",
        "28 27 0:25 / /data rw - tmpfs tmpfs rw",
        @"29 27 8:1 / /my\040disk ro,noatime shared:5 master:1 - xfs /dev/sda1 rw",
        "30 28 8:2 / /data rw - btrfs /dev/sdb rw",
        "nonsense",
    ];

    [Theory]
    [InlineData("/home/a.dat", "/", "ext4", "254:0")]
    [InlineData("/data", "/data", "btrfs", "8:2")]
    [InlineData("/data/a.dat", "/data", "btrfs", "8:2")]
    [InlineData("/database/a.dat", "/", "ext4", "254:0")]
    [InlineData("/my disk/a.dat", "/my disk", "xfs", "8:1")]
    public void The_longest_and_latest_mount_that_covers_the_path_wins(string path, string mountPoint, string fileSystem, string number)
    {
        MountEntry entry = MountTable.Find(Lines, path).ShouldNotBeNull();
        entry.MountPoint.ShouldBe(mountPoint);
        entry.FileSystem.ShouldBe(fileSystem);
        entry.DeviceNumber.ShouldBe(number);
    }

    [Fact]
    public void Optional_fields_are_skipped() =>
        MountTable.Find(Lines, "/my disk")!.Options.ShouldBe("ro,noatime");

    [Fact]
    public void Nothing_covers_a_path_in_an_empty_table() => MountTable.Find([], "/a").ShouldBeNull();
}
