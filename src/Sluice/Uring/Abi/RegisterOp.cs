namespace Sluice.Uring.Abi;

/// <summary>IORING_REGISTER_*: the operations of io_uring_register.</summary>
internal enum RegisterOp : uint
{
    Buffers = 0,
    UnregisterBuffers = 1,
    Probe = 8,
    IowqMaxWorkers = 19,
    SyncCancel = 24,
}
