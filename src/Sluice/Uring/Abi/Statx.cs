using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>STATX_*: the requested fields of <see cref="Statx"/>.</summary>
[Flags]
internal enum StatxMask : uint
{
    Type = 0x1,
    NLink = 0x4,
    Size = 0x200,
    BasicStats = 0x7ff,
    Btime = 0x800,
    DioAlign = 0x2000,

    /// <summary>An ID that no other mount gets after this one is gone (Linux 6.8).</summary>
    MntIdUnique = 0x4000,
    WriteAtomic = 0x10000,
}

/// <summary>struct statx_timestamp (16 bytes).</summary>
[StructLayout(LayoutKind.Sequential)]
internal struct StatxTimestamp
{
    public long Seconds;
    public uint Nanoseconds;
    public int Reserved;
}

/// <summary>struct statx (256 bytes), from linux/stat.h.</summary>
[StructLayout(LayoutKind.Explicit, Size = 256)]
internal struct Statx
{
    /// <summary>S_IFMT: the bits of the mode that hold the file type.</summary>
    public const int TypeMask = 0xF000;
    public const int TypeRegular = 0x8000;
    public const int TypeBlockDevice = 0x6000;
    public const int TypeDirectory = 0x4000;
    public const int TypeCharacterDevice = 0x2000;
    public const int TypeFifo = 0x1000;
    public const int TypeLink = 0xA000;
    public const int TypeSocket = 0xC000;

    [FieldOffset(0)] public StatxMask Mask;
    [FieldOffset(4)] public uint BlockSize;
    [FieldOffset(8)] public ulong Attributes;
    [FieldOffset(16)] public uint NLink;
    [FieldOffset(20)] public uint Uid;
    [FieldOffset(24)] public uint Gid;
    [FieldOffset(28)] public ushort Mode;
    [FieldOffset(32)] public ulong Ino;
    [FieldOffset(40)] public ulong Size;
    [FieldOffset(48)] public ulong Blocks;
    [FieldOffset(56)] public ulong AttributesMask;
    [FieldOffset(64)] public StatxTimestamp Atime;
    [FieldOffset(80)] public StatxTimestamp Btime;
    [FieldOffset(96)] public StatxTimestamp Ctime;
    [FieldOffset(112)] public StatxTimestamp Mtime;
    [FieldOffset(128)] public uint RdevMajor;
    [FieldOffset(132)] public uint RdevMinor;
    [FieldOffset(136)] public uint DevMajor;
    [FieldOffset(140)] public uint DevMinor;
    [FieldOffset(144)] public ulong MntId;
    [FieldOffset(152)] public uint DioMemAlign;
    [FieldOffset(156)] public uint DioOffsetAlign;
    [FieldOffset(168)] public uint AtomicWriteUnitMin;
    [FieldOffset(172)] public uint AtomicWriteUnitMax;

    /// <summary>Returns true if both describe the same node: device and number.</summary>
    public readonly bool IsSame(in Statx other) => Ino == other.Ino && DevMajor == other.DevMajor && DevMinor == other.DevMinor;

    /// <summary>Returns true if both have the same length and the same time of last write.</summary>
    public readonly bool HasLengthAndTimeOf(in Statx other) =>
        Size == other.Size && Mtime.Seconds == other.Mtime.Seconds && Mtime.Nanoseconds == other.Mtime.Nanoseconds;
}
