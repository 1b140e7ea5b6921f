namespace Sluice.Faults.Tests.Support;

/// <summary>File systems of one to four MiB, which tests fill.</summary>
public static class SmallDisk
{
    /// <summary>The kinds that are filled, with every caching.</summary>
    public static IEnumerable<(FileSystemKind Kind, FileCaching Caching)> Each =>
        from kind in (FileSystemKind[])[FileSystemKind.Tmpfs, FileSystemKind.Ext4]
        from caching in Enum.GetValues<FileCaching>()
        select (kind, caching);

    /// <summary>An empty one; skips the test where it cannot be had.</summary>
    public static Mount Make(FileSystemKind kind) => Mount.OrSkip(kind, kind == FileSystemKind.Tmpfs ? "1m" : "4M");
}
