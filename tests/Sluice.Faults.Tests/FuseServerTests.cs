using Shouldly;
using Sluice.Faults.Child.Fuse;
using Sluice.Faults.Tests.Support;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>The faulty file system does what tests that use it rely on.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
[System.Runtime.Versioning.UnsupportedOSPlatform("windows")]
public sealed class FuseServerTests
{
    private const int LargeBytes = FuseServer.Quota * 3;

    [SkippableFact]
    public void Without_a_fault_it_is_a_file_system()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.None);
        byte[] content = new byte[LargeBytes];
        Random.Shared.NextBytes(content);
        string path = mount.PathOf("a");
        File.WriteAllBytes(path, content);
        File.ReadAllBytes(path).ShouldBe(content);
        new FileInfo(path).Length.ShouldBe(content.Length);
        File.SetUnixFileMode(path, UnixFileMode.UserRead);
        File.GetUnixFileMode(path).ShouldBe(UnixFileMode.UserRead);
        DateTime time = new(2001, 2, 3, 4, 5, 6, DateTimeKind.Utc);
        File.SetLastWriteTimeUtc(path, time);
        File.GetLastWriteTimeUtc(path).ShouldBe(time);
        Directory.CreateDirectory(mount.PathOf("b/c"));
        File.Move(path, mount.PathOf("b/c/d"));
        File.CreateSymbolicLink(path, "b/c/d");
        new FileInfo(path).LinkTarget.ShouldBe("b/c/d");
        File.ReadAllBytes(path).ShouldBe(content);
        Directory.GetFileSystemEntries(mount.Folder, "*", SearchOption.AllDirectories)
            .ShouldBe([path, mount.PathOf("b"), mount.PathOf("b/c"), mount.PathOf("b/c/d")], ignoreOrder: true);
        Directory.Delete(mount.PathOf("b"), recursive: true);
        Directory.GetFileSystemEntries(mount.Folder).ShouldBe([path]);
    }

    [SkippableFact]
    public void A_quota_is_told_at_the_close()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.Quota);
        Command.Run("dd", "if=/dev/zero", $"of={mount.PathOf("small")}", "bs=1M", "count=1", "status=none");
        Command.TryRun("dd", "if=/dev/zero", $"of={mount.PathOf("large")}", "bs=1M", "count=3", "status=none")
            .ShouldNotBeNull().ShouldContain("quota", Case.Insensitive);
        new FileInfo(mount.PathOf("large")).Length.ShouldBe(FuseServer.Quota);
    }

    [SkippableFact]
    public void An_error_is_told_at_the_close()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.CloseError);
        Command.TryRun("dd", "if=/dev/zero", $"of={mount.PathOf("a")}", "bs=1M", "count=3", "conv=fsync", "status=none")
            .ShouldNotBeNull().ShouldContain("Input/output error");
        mount.Content("a").Length.ShouldBe(LargeBytes);
    }

    [SkippableTheory]
    [InlineData(nameof(FuseFault.ZeroLength), 0)]
    [InlineData(nameof(FuseFault.ShortRead), 5000)]
    public void A_file_has_its_bytes_whatever_is_told_of_them(string fault, long length)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        byte[] content = new byte[5000];
        Random.Shared.NextBytes(content);
        File.WriteAllBytes(mount.PathOf("a"), content);
        mount.Content("a").ShouldBe(content);
        new FileInfo(mount.PathOf("a")).Length.ShouldBe(length);
        using Microsoft.Win32.SafeHandles.SafeFileHandle handle = File.OpenHandle(mount.PathOf("a"));
        RandomAccess.Read(handle, new byte[5000], 0).ShouldBe(fault == nameof(FuseFault.ShortRead) ? FuseServer.ShortRead : 5000);
    }

    [SkippableTheory]
    [InlineData(nameof(FuseFault.Chmod), "chmod", "600")]
    [InlineData(nameof(FuseFault.Times), "touch", "--date=2001-02-03")]
    [InlineData(nameof(FuseFault.Chown), "chown", "1000:1000")]
    public void Attributes_are_refused(string fault, string program, string argument)
    {
        using FuseMount mount = FuseMount.OrSkip(Enum.Parse<FuseFault>(fault));
        File.WriteAllText(mount.PathOf("a"), "a");
        Command.TryRun(program, argument, mount.PathOf("a")).ShouldNotBeNull().ShouldContain("not permitted");
    }

    [SkippableFact]
    public void A_folder_is_not_synchronized()
    {
        using FuseMount mount = FuseMount.OrSkip(FuseFault.FolderSync);
        Command.TryRun("sync", mount.Folder).ShouldNotBeNull().ShouldContain("Invalid argument");
        File.WriteAllText(mount.PathOf("a"), "a");
        Command.Run("sync", mount.PathOf("a"));
    }
}
