namespace Sluice.Uring.Abi;

/// <summary>IOSQE_*: flags of one submission entry.</summary>
[Flags]
internal enum SqeFlags : byte
{
    None = 0,
    FixedFile = 1 << 0,
    Drain = 1 << 1,
    Link = 1 << 2,
    HardLink = 1 << 3,
    Async = 1 << 4,
    BufferSelect = 1 << 5,
    CqeSkipSuccess = 1 << 6,
}
