using Shouldly;
using Sluice.Cli.Bench;
using Sluice.Cli.Tests.Support;
using Xunit;

namespace Sluice.Cli.Tests.Bench;

public sealed class ScratchFolderTests : FolderTest
{
    [Fact]
    public void A_scratch_folder_is_gone_after_use_with_all_that_is_in_it()
    {
        using (ScratchFolder scratch = ScratchFolder.Create(Folder.FullPath, Unexpected))
            File.WriteAllText(Path.Combine(scratch.FullPath, "a.dat"), "x");
        Directory.EnumerateFileSystemEntries(Folder.FullPath).ShouldBeEmpty();
    }

    [Trait("Tier", "slow")]
    [SkippableFact]
    public void A_folder_that_cannot_be_removed_is_told_and_nothing_is_thrown()
    {
        var told = new List<string>();
        ScratchFolder scratch = ScratchFolder.Create(Folder.FullPath, told.Add);
        using (StuckFolder.Make(Path.Combine(scratch.FullPath, "stuck")))
        {
            scratch.Dispose();
            scratch.Dispose();
        }
        told.Count.ShouldBe(1);
        told[0].ShouldStartWith($"{scratch.FullPath} stays: ");
    }

    [Fact]
    public void A_folder_in_use_is_no_leftover()
    {
        using ScratchFolder scratch = ScratchFolder.Create(Folder.FullPath, Unexpected);
        ScratchFolder.RemoveLeftovers(Folder.FullPath).ShouldBeEmpty();
        Directory.Exists(scratch.FullPath).ShouldBeTrue();
    }

    [Fact]
    public void A_folder_whose_run_is_dead_is_removed()
    {
        string dead = Directory.CreateDirectory(Folder["sluice-bench-0123abcd"]).FullName;
        File.WriteAllText(Path.Combine(dead, "sluice-bench.lock"), "");
        File.WriteAllText(Path.Combine(dead, "direct.dat"), "x");
        ScratchFolder.RemoveLeftovers(Folder.FullPath).ShouldBe([dead]);
        Directory.Exists(dead).ShouldBeFalse();
    }

    [Theory]
    [InlineData("sluice-bench-results", true)]
    [InlineData("sluice-bench-0123ABCD", true)]
    [InlineData("sluice-bench-0123abcd", false)]
    [InlineData("sluice-benchmarks", true)]
    public void What_only_looks_similar_is_left_alone(string name, bool hasLock)
    {
        string folder = Directory.CreateDirectory(Folder[name]).FullName;
        if (hasLock)
            File.WriteAllText(Path.Combine(folder, "sluice-bench.lock"), "");
        ScratchFolder.RemoveLeftovers(Folder.FullPath).ShouldBeEmpty();
        Directory.Exists(folder).ShouldBeTrue();
    }

    [Fact]
    public void A_link_by_that_name_is_not_followed()
    {
        string elsewhere = Directory.CreateDirectory(Folder["documents"]).FullName;
        File.WriteAllText(Path.Combine(elsewhere, "sluice-bench.lock"), "");
        Directory.CreateSymbolicLink(Folder["sluice-bench-0123abcd"], elsewhere);
        ScratchFolder.RemoveLeftovers(Folder.FullPath).ShouldBeEmpty();
        Directory.Exists(elsewhere).ShouldBeTrue();
    }

    [SkippableFact]
    public void What_another_user_has_made_by_that_name_is_left_alone()
    {
        Skip.IfNot(OperatingSystem.IsLinux() && Environment.IsPrivilegedProcess, "files of another user are made by root");
        string folder = Directory.CreateDirectory(Folder["sluice-bench-0123abcd"]).FullName;
        File.WriteAllText(Path.Combine(folder, "sluice-bench.lock"), "");
        Shell.Run("chown", "-R", "65534", folder).ExitCode.ShouldBe(0);
        ScratchFolder.RemoveLeftovers(Folder.FullPath).ShouldBeEmpty();
        File.Exists(Path.Combine(folder, "sluice-bench.lock")).ShouldBeTrue();
    }

    private static void Unexpected(string told) => throw new InvalidOperationException(told);
}
