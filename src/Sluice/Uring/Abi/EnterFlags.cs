namespace Sluice.Uring.Abi;

/// <summary>IORING_ENTER_*, from linux/io_uring.h.</summary>
[Flags]
internal enum EnterFlags : uint
{
    None = 0,
    GetEvents = 1u << 0,
    ExtArg = 1u << 3,
}
