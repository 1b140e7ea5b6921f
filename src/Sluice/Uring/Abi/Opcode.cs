namespace Sluice.Uring.Abi;

/// <summary>IORING_OP_*, from linux/io_uring.h; the numbers are the kernel's and never change.</summary>
internal enum Opcode : byte
{
    Nop = 0,
    ReadV = 1,
    WriteV = 2,
    Fsync = 3,
    OpenAt = 18,
    Close = 19,
    Read = 22,
    Write = 23,
}
