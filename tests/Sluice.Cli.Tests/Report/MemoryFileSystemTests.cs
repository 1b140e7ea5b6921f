using Shouldly;
using Sluice.Cli.Report;
using Xunit;

namespace Sluice.Cli.Tests.Report;

public sealed class MemoryFileSystemTests
{
    [Theory]
    [InlineData("tmpfs", "in memory")]
    [InlineData("ramfs", "in memory")]
    [InlineData("overlay", "if that is tmpfs")]
    [InlineData("fuse", "a program's file system")]
    [InlineData("fuse.bindfs", "fuse.bindfs is a program's file system")]
    public void Where_cold_direct_and_preallocated_may_mean_nothing_that_is_said(string fileSystem, string words) =>
        MemoryFileSystem.Note(fileSystem).ShouldNotBeNull().ShouldContain(words);

    [Theory]
    [InlineData("ext4")]
    [InlineData("xfs")]
    [InlineData("fuseblk")]
    [InlineData(null)]
    public void Elsewhere_nothing_is_said(string? fileSystem) => MemoryFileSystem.Note(fileSystem).ShouldBeNull();
}
