using Shouldly;
using Sluice.Copying;
using Sluice.Faults.Tests.Support;
using Sluice.Kernel;
using Sluice.Uring;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>A file is known to be in memory or not, also where the kernel does not tell; where it does, asking brings nothing in.</summary>
[Trait("Tier", "slow")]
[System.Runtime.Versioning.SupportedOSPlatform("linux")]
public sealed class FileInMemoryTests : IDisposable
{
    private const int Length = 8 << 20;

    public void Dispose() => SystemCallFaults.Use(null);

    [SkippableTheory]
    [InlineData(FileSystemKind.Ext4, true)]
    [InlineData(FileSystemKind.Ext4, false)]
    [InlineData(FileSystemKind.Xfs, true)]
    [InlineData(FileSystemKind.Btrfs, true)]
    [InlineData(FileSystemKind.Bindfs, true)]
    public void A_cold_file_is_not_in_memory_and_one_that_was_read_is(FileSystemKind kind, bool mayCount)
    {
        using Mount mount = Mount.OrSkip(kind);
        string path = Path.Combine(mount.Folder, "file");
        File.WriteAllBytes(path, new byte[Length]);
        Command.Run("sync", "-f", path);
        SystemCallFaults.Use((call, _, _) => call == "cachestat" && !mayCount ? -Errno.ENOSYS : 0);
        using SluiceHandle handle = SluiceHandle.Open(path);
        int fd = (int)handle.SafeFileHandle.DangerousGetHandle();
        CacheCalls.Drop(fd, 0, 0);
        bool counts = CacheCalls.CountPages(fd, 0, Length) >= 0;
        DataRange.IsMostlyInMemory(fd, Length).ShouldBeFalse();
        if (counts)
        {
            CacheCalls.CountPages(fd, 0, Length).ShouldBe(0);
        }

        handle.Read(new byte[Length], 0).ShouldBe(Length);
        DataRange.IsMostlyInMemory(fd, Length).ShouldBeTrue();
        Skip.If(mayCount && !counts, "this kernel does not tell which pages it has");
    }
}
