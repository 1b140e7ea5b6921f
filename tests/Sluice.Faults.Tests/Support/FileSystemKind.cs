namespace Sluice.Faults.Tests.Support;

/// <summary>A file system that a test mounts for itself.</summary>
public enum FileSystemKind
{
    /// <summary>A folder of the disk that the tests run on.</summary>
    Local,
    Tmpfs,
    Overlay,
    Bindfs,
    Ext4,

    /// <summary>ext4 on a device with logical blocks of 4 KiB.</summary>
    Ext4Blocks4K,
    Xfs,
    Btrfs,
}
