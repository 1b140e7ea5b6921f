namespace Sluice.Uring.Abi;

/// <summary>IORING_REGISTER_*: the verbs of io_uring_register.</summary>
internal enum RegisterOp : uint
{
    Buffers = 0,
    UnregisterBuffers = 1,
    Files = 2,
    UnregisterFiles = 3,
    EventFd = 4,
    FilesUpdate = 6,
    Probe = 8,
    IowqMaxWorkers = 19,
    RingFds = 20,
    SyncCancel = 24,
}
