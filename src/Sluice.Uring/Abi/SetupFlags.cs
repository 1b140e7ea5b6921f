namespace Sluice.Uring.Abi;

/// <summary>IORING_SETUP_*, from linux/io_uring.h.</summary>
[Flags]
internal enum SetupFlags : uint
{
    None = 0,
    IoPoll = 1u << 0,
    SqPoll = 1u << 1,
    SqAff = 1u << 2,
    CqSize = 1u << 3,
    Clamp = 1u << 4,
    AttachWq = 1u << 5,
    RDisabled = 1u << 6,
    SubmitAll = 1u << 7,
    CoopTaskrun = 1u << 8,
    TaskrunFlag = 1u << 9,
    Sqe128 = 1u << 10,
    Cqe32 = 1u << 11,
    SingleIssuer = 1u << 12,
    DeferTaskrun = 1u << 13,
    NoMmap = 1u << 14,
    RegisteredFdOnly = 1u << 15,
    NoSqArray = 1u << 16,
}
