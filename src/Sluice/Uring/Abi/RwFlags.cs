namespace Sluice.Uring.Abi;

/// <summary>RWF_*: flags of one read or write, from linux/fs.h (preadv2(2)).</summary>
[Flags]
internal enum RwFlags : uint
{
    None = 0,
    NoWait = 0x08,
    Append = 0x10,
    Atomic = 0x40,
    DontCache = 0x80,
}
