using System.Runtime.CompilerServices;
using Shouldly;
using Sluice.Faults.Tests.Support;
using Sluice.Uring.Abi;
using Xunit;

namespace Sluice.Faults.Tests;

/// <summary>The rows of docs/compatibility.md are what this kernel does, for each file system that can be mounted here.</summary>
[Trait("Tier", "slow")]
[Trait("Runs", "once")]
public sealed class CompatibilityTableTests
{
    [SkippableTheory]
    [InlineData(FileSystemKind.Tmpfs, "tmpfs")]
    [InlineData(FileSystemKind.Ramfs, "ramfs")]
    [InlineData(FileSystemKind.Ext4DataJournal, "ext4, data=journal")]
    [InlineData(FileSystemKind.Overlay, "overlay over ext4")]
    [InlineData(FileSystemKind.Bindfs, "FUSE (bindfs over ext4)")]
    [InlineData(FileSystemKind.Ext4, "ext4, 512-byte blocks")]
    [InlineData(FileSystemKind.Ext4Blocks4K, "ext4, 4,096-byte blocks")]
    [InlineData(FileSystemKind.Xfs, "xfs")]
    [InlineData(FileSystemKind.Btrfs, "btrfs")]
    public void Documented_row_is_what_the_file_system_does(FileSystemKind kind, string name)
    {
        string document = File.ReadAllText(DocumentPath());
        Skip.IfNot(OperatingSystem.IsLinux(), "the table is of Linux");
        string kernel = Environment.OSVersion.Version.ToString(3);
        Skip.IfNot(document.Contains($"Linux {kernel}", StringComparison.Ordinal), $"the table is of another kernel than {kernel}");
        using Mount mount = new(kind);
        Skip.If(mount.Refusal is not null, $"{kind}: {mount.Refusal}");
        document.ShouldContain(Row(mount.Folder, name));
    }

    private static string Row(string folder, string name)
    {
        string path = Path.Combine(folder, "row");
        using SluiceHandle direct = Open(path, FileCaching.Direct);
        direct.Write(new byte[8192], 0);
        string directCell = direct.Caching == FileCaching.Direct
            ? $"yes, {direct.Alignment.Memory}/{direct.Alignment.Offset}"
            : $"no: {direct.CachingReason}";
        using SluiceHandle uncached = Open(path, FileCaching.Uncached);
        uncached.Write(new byte[8192], 0);
        string uncachedCell = (uncached.TransferFlags & RwFlags.DontCache) != RwFlags.None ? "RWF_DONTCACHE" : "fadvise behind";
        string[] cells =
        [
            name,
            directCell,
            uncachedCell,
            Works(() => direct.Allocate(0, 20_000)),
            Works(() => direct.PunchHole(0, 4096)),
            Works(() => direct.GetExtents()),
            Locks(folder),
        ];
        return $"| {string.Join(" | ", cells)} |";
    }

    private static SluiceHandle Open(string path, FileCaching caching) =>
        SluiceHandle.Open(path, FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.ReadWrite, caching: caching);

    private static string Works(Action action)
    {
        try
        {
            action();
            return "yes";
        }
        catch (PlatformNotSupportedException)
        {
            return "no";
        }
    }

    private static string Locks(string folder)
    {
        string path = Path.Combine(folder, "lock");
        using SluiceHandle _ = SluiceHandle.Open(path, FileMode.CreateNew, FileAccess.ReadWrite, FileShare.None);
        try
        {
            SluiceHandle.Open(path, FileMode.Open, FileAccess.ReadWrite, FileShare.None).Dispose();
            return "no";
        }
        catch (IOException)
        {
            return "yes";
        }
    }

    private static string DocumentPath([CallerFilePath] string here = "") =>
        Path.Combine(Path.GetDirectoryName(here)!, "..", "..", "docs", "compatibility.md");
}
