namespace Sluice.Uring.Abi;

/// <summary>RWF_*: flags of one read or write, from linux/fs.h (preadv2(2)).</summary>
[Flags]
internal enum RwFlags : uint
{
    None = 0,
    HiPri = 0x01,
    DSync = 0x02,
    Sync = 0x04,
    NoWait = 0x08,
    Append = 0x10,
    NoAppend = 0x20,
    Atomic = 0x40,
    DontCache = 0x80,
}
