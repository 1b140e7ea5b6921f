using Sluice.Uring.Abi;

namespace Sluice.Uring;

/// <summary>
/// Fills submission entries, one method for each opcode. The caller keeps every pointer valid until the completion has been taken. Paths
/// and iovec arrays need to be valid only until the submission, because the kernel copies them (IORING_FEAT_SUBMIT_STABLE).
/// </summary>
internal static unsafe class Prep
{
    public static void Nop(IoUringSqe* sqe, ulong userData) => Set(sqe, Opcode.Nop, -1, userData);

    /// <summary>Fills an entry for a read or a write of one buffer.</summary>
    public static void Transfer(
        IoUringSqe* sqe, bool isRead, int fd, byte* buffer, uint length, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, isRead ? Opcode.Read : Opcode.Write, fd, buffer, length, offset, flags, userData);

    public static void Read(IoUringSqe* sqe, int fd, byte* buffer, uint length, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.Read, fd, buffer, length, offset, flags, userData);

    public static void Write(IoUringSqe* sqe, int fd, byte* buffer, uint length, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.Write, fd, buffer, length, offset, flags, userData);

    public static void ReadV(IoUringSqe* sqe, int fd, Iovec* segments, uint count, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.ReadV, fd, segments, count, offset, flags, userData);

    public static void WriteV(IoUringSqe* sqe, int fd, Iovec* segments, uint count, long offset, RwFlags flags, ulong userData) =>
        Transfer(sqe, Opcode.WriteV, fd, segments, count, offset, flags, userData);

    public static void Fsync(IoUringSqe* sqe, int fd, FsyncFlags flags, ulong userData)
    {
        Set(sqe, Opcode.Fsync, fd, userData);
        sqe->OpFlags = (uint)flags;
    }

    public static void OpenAt(IoUringSqe* sqe, int directoryFd, byte* path, int flags, uint mode, ulong userData)
    {
        Set(sqe, Opcode.OpenAt, directoryFd, userData);
        sqe->Addr = (ulong)path;
        sqe->Len = mode;
        sqe->OpFlags = (uint)flags;
    }

    public static void Close(IoUringSqe* sqe, int fd, ulong userData) => Set(sqe, Opcode.Close, fd, userData);

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
