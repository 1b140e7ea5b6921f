namespace Sluice.Uring.Abi;

/// <summary>IOSQE_*: flags of one submission entry.</summary>
[Flags]
internal enum SqeFlags : byte
{
    None = 0,
    Link = 1 << 2,
    HardLink = 1 << 3,
    Async = 1 << 4,
}
