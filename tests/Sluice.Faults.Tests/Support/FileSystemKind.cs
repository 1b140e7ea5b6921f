namespace Sluice.Faults.Tests.Support;

/// <summary>A file system that a test mounts for itself.</summary>
public enum FileSystemKind
{
    /// <summary>A folder of the disk that the tests run on.</summary>
    Local,
    Tmpfs,

    /// <summary>Takes no O_DIRECT at all, and no fallocate.</summary>
    Ramfs,
    Overlay,
    Bindfs,

    /// <summary>Gives all that is made an owner and rights of its own choice, as FAT and SMB do: bindfs, for root's files.</summary>
    BindfsWithoutRights,
    Ext4,

    /// <summary>ext4 on a device with logical blocks of 4 KiB.</summary>
    Ext4Blocks4K,

    /// <summary>ext4 that journals data: O_DIRECT is taken, and goes through the page cache.</summary>
    Ext4DataJournal,
    Xfs,
    Btrfs,
}
