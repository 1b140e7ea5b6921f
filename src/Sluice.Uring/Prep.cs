using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// Fills submission entries, one method an opcode. The caller keeps every pointer valid until the completion has been taken, except
/// paths and iovec arrays, which the kernel copies at submission (IORING_FEAT_SUBMIT_STABLE).
/// </summary>
internal static unsafe class Prep
{
    private const int AtEmptyPath = 0x1000;
    private const uint PollAddMulti = 1;
    private const uint EpollIn = 1;
    private const uint EpollEdge = 1u << 31;

    public static void Nop(IoUringSqe* sqe, ulong userData) => Set(sqe, Opcode.Nop, -1, userData);

    public static void Read(IoUringSqe* sqe, int fd, byte* buffer, uint length, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.Read, fd, buffer, length, offset, flags, userData);

    public static void Write(IoUringSqe* sqe, int fd, byte* buffer, uint length, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.Write, fd, buffer, length, offset, flags, userData);

    public static void ReadV(IoUringSqe* sqe, int fd, Iovec* segments, uint count, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.ReadV, fd, segments, count, offset, flags, userData);

    public static void WriteV(IoUringSqe* sqe, int fd, Iovec* segments, uint count, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.WriteV, fd, segments, count, offset, flags, userData);

    public static void ReadFixed(
        IoUringSqe* sqe, int fd, byte* buffer, uint length, long offset, ushort bufferIndex, ulong userData)
    {
        Transfer(sqe, Opcode.ReadFixed, fd, buffer, length, offset, RwFlags.None, userData);
        sqe->BufIndex = bufferIndex;
    }

    public static void WriteFixed(
        IoUringSqe* sqe, int fd, byte* buffer, uint length, long offset, ushort bufferIndex, ulong userData)
    {
        Transfer(sqe, Opcode.WriteFixed, fd, buffer, length, offset, RwFlags.None, userData);
        sqe->BufIndex = bufferIndex;
    }

    public static void Fsync(IoUringSqe* sqe, int fd, FsyncFlags flags, ulong userData)
    {
        Set(sqe, Opcode.Fsync, fd, userData);
        sqe->OpFlags = (uint)flags;
    }

    public static void Fallocate(IoUringSqe* sqe, int fd, FallocateFlags mode, long offset, long length, ulong userData)
    {
        Set(sqe, Opcode.Fallocate, fd, userData);
        sqe->Off = (ulong)offset;
        sqe->Addr = (ulong)length;
        sqe->Len = (uint)mode;
    }

    public static void OpenAt(IoUringSqe* sqe, int directoryFd, byte* path, int flags, uint mode, ulong userData)
    {
        Set(sqe, Opcode.OpenAt, directoryFd, userData);
        sqe->Addr = (ulong)path;
        sqe->Len = mode;
        sqe->OpFlags = (uint)flags;
    }

    public static void Close(IoUringSqe* sqe, int fd, ulong userData) => Set(sqe, Opcode.Close, fd, userData);

    public static void Statx(IoUringSqe* sqe, int directoryFd, byte* path, int flags, StatxMask mask, Statx* result, ulong userData)
    {
        Set(sqe, Opcode.Statx, directoryFd, userData);
        sqe->Addr = (ulong)path;
        sqe->Len = (uint)mask;
        sqe->Off = (ulong)result;
        sqe->OpFlags = (uint)flags;
    }

    /// <summary>statx of an open descriptor: <paramref name="emptyPath"/> points at a NUL.</summary>
    public static void StatxDescriptor(IoUringSqe* sqe, int fd, byte* emptyPath, StatxMask mask, Statx* result, ulong userData) =>
        Statx(sqe, fd, emptyPath, AtEmptyPath, mask, result, userData);

    public static void UnlinkAt(IoUringSqe* sqe, int directoryFd, byte* path, int flags, ulong userData)
    {
        Set(sqe, Opcode.UnlinkAt, directoryFd, userData);
        sqe->Addr = (ulong)path;
        sqe->OpFlags = (uint)flags;
    }

    public static void RenameAt(
        IoUringSqe* sqe, int oldDirectoryFd, byte* oldPath, int newDirectoryFd, byte* newPath, uint flags, ulong userData)
    {
        Set(sqe, Opcode.RenameAt, oldDirectoryFd, userData);
        sqe->Addr = (ulong)oldPath;
        sqe->Len = (uint)newDirectoryFd;
        sqe->Off = (ulong)newPath;
        sqe->OpFlags = flags;
    }

    /// <summary>Completes each time <paramref name="fd"/> becomes readable anew (EPOLLIN | EPOLLET, IORING_POLL_ADD_MULTI).</summary>
    public static void PollMultishot(IoUringSqe* sqe, int fd, ulong userData)
    {
        Set(sqe, Opcode.PollAdd, fd, userData);
        sqe->Len = PollAddMulti;
        sqe->OpFlags = EpollIn | EpollEdge;
    }

    /// <summary>Asks to cancel the operation whose user data is <paramref name="target"/>: a request, its completion still comes.</summary>
    public static void Cancel(IoUringSqe* sqe, ulong target, ulong userData)
    {
        Set(sqe, Opcode.AsyncCancel, -1, userData);
        sqe->Addr = target;
    }

    /// <summary>
    /// Posts a completion with <paramref name="result"/> and <paramref name="targetUserData"/>, marked with
    /// <see cref="Ring.MessageUserData"/>, into another ring.
    /// </summary>
    public static void MsgRing(IoUringSqe* sqe, int ringFd, uint result, ulong targetUserData, ulong userData)
    {
        Set(sqe, Opcode.MsgRing, ringFd, userData);
        sqe->Len = result;
        sqe->Off = targetUserData | Ring.MessageUserData;
    }

    private static void Transfer(
        IoUringSqe* sqe, Opcode opcode, int fd, void* address, uint length, long offset, RwFlags flags, ulong userData)
    {
        Set(sqe, opcode, fd, userData);
        sqe->Addr = (ulong)address;
        sqe->Len = length;
        sqe->Off = (ulong)offset;
        sqe->OpFlags = (uint)flags;
    }

    private static void Set(IoUringSqe* sqe, Opcode opcode, int fd, ulong userData)
    {
        sqe->Opcode = opcode;
        sqe->Fd = fd;
        sqe->UserData = userData;
    }
}
