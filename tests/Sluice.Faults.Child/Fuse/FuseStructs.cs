using System.Runtime.InteropServices;

namespace Sluice.Faults.Child.Fuse;

/// <summary>The messages of FUSE 7.31 that <see cref="FuseServer"/> uses, as in linux/fuse.h.</summary>
internal static class FuseStructs
{
    internal struct Request
    {
        public uint Bytes;
        public FuseCall Call;
        public ulong Id;
        public ulong Node;
        public uint User;
        public uint Group;
        public uint Process;
        public uint Padding;
    }

    internal struct Reply
    {
        public uint Bytes;
        public int Error;
        public ulong Id;
    }

    [StructLayout(LayoutKind.Sequential, Size = 64)]
    internal struct Init
    {
        public uint Major;
        public uint Minor;
        public uint MaxReadAhead;
        public uint Flags;
        public uint MaxBackground;
        public uint MaxWrite;
    }

    internal struct Attributes
    {
        public ulong Inode;
        public ulong Size;
        public ulong Blocks;
        public ulong AccessTime;
        public ulong WriteTime;
        public ulong ChangeTime;
        public uint AccessNanoseconds;
        public uint WriteNanoseconds;
        public uint ChangeNanoseconds;
        public uint Mode;
        public uint Links;
        public uint User;
        public uint Group;
        public uint Device;
        public uint BlockBytes;
        public uint Flags;
    }

    /// <summary>Times of validity are 0: the kernel asks each time.</summary>
    internal struct Entry
    {
        public ulong Node;
        public ulong Generation;
        public ulong EntryValid;
        public ulong AttributesValid;
        public ulong ValidNanoseconds;
        public Attributes Attributes;
    }

    internal struct AttributesReply
    {
        public ulong Valid;
        public ulong ValidNanoseconds;
        public Attributes Attributes;
    }

    internal struct SetAttributes
    {
        public uint Which;
        public uint Padding;
        public ulong Handle;
        public ulong Size;
        public ulong LockOwner;
        public ulong AccessTime;
        public ulong WriteTime;
        public ulong ChangeTime;
        public uint AccessNanoseconds;
        public uint WriteNanoseconds;
        public uint ChangeNanoseconds;
        public uint Mode;
        public uint Unused;
        public uint User;
        public uint Group;
        public uint Unused2;
    }

    internal struct Opened
    {
        public ulong Handle;
        public ulong Flags;
    }

    /// <summary>Of a read or a write; a write's bytes come behind it.</summary>
    internal struct Transfer
    {
        public ulong Handle;
        public ulong Offset;
        public uint Bytes;
        public uint TransferFlags;
        public ulong LockOwner;
        public ulong Flags;
    }

    internal struct FolderEntry
    {
        public ulong Inode;
        public ulong NextOffset;
        public uint NameBytes;
        public uint Type;
    }

    [StructLayout(LayoutKind.Sequential, Size = 80)]
    internal struct Space
    {
        public ulong Blocks;
        public ulong FreeBlocks;
        public ulong AvailableBlocks;
        public ulong Files;
        public ulong FreeFiles;
        public uint BlockBytes;
        public uint NameBytes;
        public uint FragmentBytes;
    }
}

/// <summary>The calls of FUSE that <see cref="FuseServer"/> answers.</summary>
internal enum FuseCall : uint
{
    Lookup = 1,
    Forget = 2,
    GetAttributes = 3,
    SetAttributes = 4,
    MakeFolder = 9,
    Unlink = 10,
    RemoveFolder = 11,
    Rename = 12,
    Open = 14,
    Read = 15,
    Write = 16,
    Space = 17,
    Release = 18,
    Sync = 20,
    Flush = 25,
    Init = 26,
    OpenFolder = 27,
    ReadFolder = 28,
    ReleaseFolder = 29,
    SyncFolder = 30,
    Create = 35,
    Interrupt = 36,
    Destroy = 38,
    BatchForget = 42,
    Rename2 = 45,
}
