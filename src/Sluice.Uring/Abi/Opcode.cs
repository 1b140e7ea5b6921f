namespace Sluice.Uring.Abi;

/// <summary>IORING_OP_*, from linux/io_uring.h; the numbers are the kernel's and never change.</summary>
internal enum Opcode : byte
{
    Nop = 0,
    ReadV = 1,
    WriteV = 2,
    Fsync = 3,
    ReadFixed = 4,
    WriteFixed = 5,
    PollAdd = 6,
    AsyncCancel = 14,
    Fallocate = 17,
    OpenAt = 18,
    Close = 19,
    Statx = 21,
    Read = 22,
    Write = 23,
    RenameAt = 35,
    UnlinkAt = 36,
    MsgRing = 40,
}
