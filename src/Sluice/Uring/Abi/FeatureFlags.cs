namespace Sluice.Uring.Abi;

/// <summary>IORING_FEAT_*: the features of the kernel's rings, returned by io_uring_setup.</summary>
[Flags]
internal enum FeatureFlags : uint
{
    None = 0,
    SingleMmap = 1u << 0,
    NoDrop = 1u << 1,
    SubmitStable = 1u << 2,
    RwCurPos = 1u << 3,
    CurPersonality = 1u << 4,
    FastPoll = 1u << 5,
    Poll32Bits = 1u << 6,
    SqPollNonFixed = 1u << 7,
    ExtArg = 1u << 8,
    NativeWorkers = 1u << 9,
    RsrcTags = 1u << 10,
    CqeSkip = 1u << 11,
    LinkedFile = 1u << 12,
    RegRegRing = 1u << 13,
}
