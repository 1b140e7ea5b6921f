namespace Sluice.Uring.Abi;

/// <summary>IORING_FSYNC_*.</summary>
[Flags]
internal enum FsyncFlags : uint
{
    None = 0,
    DataSync = 1u << 0,
}

/// <summary>IORING_ASYNC_CANCEL_*.</summary>
[Flags]
internal enum AsyncCancelFlags : uint
{
    None = 0,
    All = 1u << 0,
    Any = 1u << 2,
}

/// <summary>FALLOC_FL_*, from linux/falloc.h.</summary>
[Flags]
internal enum FallocateFlags : uint
{
    None = 0,
    KeepSize = 0x01,
    PunchHole = 0x02,
}
