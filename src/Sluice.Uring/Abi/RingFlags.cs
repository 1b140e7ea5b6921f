namespace Sluice.Uring.Abi;

/// <summary>IORING_SQ_*: written by the kernel into the submission ring's flags word.</summary>
[Flags]
internal enum SqRingFlags : uint
{
    None = 0,
    NeedWakeup = 1u << 0,
    CqOverflow = 1u << 1,
    TaskRun = 1u << 2,
}

/// <summary>IORING_CQE_F_*: flags of one completion.</summary>
[Flags]
internal enum CqeFlags : uint
{
    None = 0,
    Buffer = 1u << 0,
    More = 1u << 1,
    SockNonEmpty = 1u << 2,
    Notif = 1u << 3,
}
