namespace Sluice.Faults.Child.Fuse;

/// <summary>What a <see cref="FuseServer"/> does otherwise than a file system should.</summary>
internal enum FuseFault
{
    /// <summary>Nothing.</summary>
    None,

    /// <summary>Takes writes beyond <see cref="FuseServer.Quota"/>; close cuts the file there and fails with EDQUOT.</summary>
    Quota,

    /// <summary>Close of a descriptor that has written fails with EIO; the bytes are there.</summary>
    CloseError,

    /// <summary>Tells every file's length as 0 and reads without the page cache (direct_io).</summary>
    ZeroLength,

    /// <summary>Reads give <see cref="FuseServer.ShortRead"/> bytes at most, without the page cache (direct_io).</summary>
    ShortRead,

    /// <summary>fsync of a folder fails with EINVAL.</summary>
    FolderSync,

    /// <summary>chmod fails with EPERM.</summary>
    Chmod,

    /// <summary>utimensat fails with EPERM.</summary>
    Times,

    /// <summary>chown fails with EPERM.</summary>
    Chown,
}
