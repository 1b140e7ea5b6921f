using Shouldly;
using Sluice.Cli.Report;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class EnvironmentProbeTests
{
    [Fact]
    public void A_path_that_does_not_exist_yet_is_described_by_its_folder()
    {
        using var folder = new TempFolder();
        EnvironmentRecord record = EnvironmentProbe.ForPath(folder["new.dat"]);
        record.Runtime.ShouldContain(".NET");
        record.ProcessorCount.ShouldBe(Environment.ProcessorCount);
        record.Engine.ShouldBe(SluiceEngines.Default.Name);
        record.FreeBytes.ShouldNotBeNull().ShouldBeGreaterThan(0);
        if (OperatingSystem.IsLinux())
        {
            record.MountPoint.ShouldNotBeNull();
            folder.FullPath.ShouldStartWith(record.MountPoint);
            record.FileSystem.ShouldNotBeNullOrEmpty();
            record.Kernel.ShouldBe(File.ReadAllText("/proc/sys/kernel/osrelease").Trim());
        }
    }

    [SkippableFact]
    public void Links_lead_to_the_mount_behind_them()
    {
        Skip.IfNot(Directory.Exists("/dev/shm"), "no second file system to link to: /dev/shm is missing");
        using var folder = new TempFolder();
        string link = folder["link"];
        Directory.CreateSymbolicLink(link, "/dev/shm");
        EnvironmentProbe.ForPath(Path.Combine(link, "a.dat")).MountPoint.ShouldBe("/dev/shm");
    }
}
