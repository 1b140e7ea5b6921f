using System.Runtime.InteropServices;

namespace Sluice.Uring.Abi;

/// <summary>struct io_uring_sqe (64 bytes). Union members carry the name of the member that file I/O uses.</summary>
[StructLayout(LayoutKind.Explicit, Size = 64)]
internal struct IoUringSqe
{
    [FieldOffset(0)] public Opcode Opcode;
    [FieldOffset(1)] public SqeFlags Flags;
    [FieldOffset(2)] public ushort IoPrio;
    [FieldOffset(4)] public int Fd;

    /// <summary>off; also addr2 (statx buffer, rename's new path).</summary>
    [FieldOffset(8)] public ulong Off;

    /// <summary>addr: buffer, iovec array or path.</summary>
    [FieldOffset(16)] public ulong Addr;

    /// <summary>len: bytes, number of iovecs, mode or mask.</summary>
    [FieldOffset(24)] public uint Len;

    /// <summary>rw_flags, fsync_flags, open_flags, statx_flags, cancel_flags, rename_flags, unlink_flags, msg_ring_flags.</summary>
    [FieldOffset(28)] public uint OpFlags;
    [FieldOffset(32)] public ulong UserData;

    /// <summary>buf_index of a registered buffer.</summary>
    [FieldOffset(40)] public ushort BufIndex;
    [FieldOffset(42)] public ushort Personality;

    /// <summary>file_index: slot for a direct descriptor plus one; 0 for an ordinary one.</summary>
    [FieldOffset(44)] public uint FileIndex;
    [FieldOffset(48)] public ulong Addr3;
    [FieldOffset(56)] public ulong Pad2;
}
