namespace Sluice.Uring.Abi;

/// <summary>IORING_SETUP_*, from linux/io_uring.h.</summary>
[Flags]
internal enum SetupFlags : uint
{
    None = 0,
    CqSize = 1u << 3,
    Clamp = 1u << 4,
    SubmitAll = 1u << 7,
    CoopTaskrun = 1u << 8,
    SingleIssuer = 1u << 12,
    DeferTaskrun = 1u << 13,
}
