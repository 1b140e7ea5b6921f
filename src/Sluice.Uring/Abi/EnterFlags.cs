namespace Sluice.Uring.Abi;

/// <summary>IORING_ENTER_*, from linux/io_uring.h.</summary>
[Flags]
internal enum EnterFlags : uint
{
    None = 0,
    GetEvents = 1u << 0,
    SqWakeup = 1u << 1,
    SqWait = 1u << 2,
    ExtArg = 1u << 3,
    RegisteredRing = 1u << 4,
}
