using System.Runtime.InteropServices;
using Sluice.Uring;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>
/// System calls for copying, on 64-bit Linux. Each returns a non-negative result or a negative errno, and does not throw.
/// </summary>
internal static unsafe partial class CopyCalls
{
    private const nuint Ficlone = 0x40049409;
    private const int SeekData = 3;
    private const int SeekHole = 4;
    private const long RenameNoReplaceFlag = 1;

    private static readonly bool IsX64 = RuntimeInformation.ProcessArchitecture == Architecture.X64;
    private static readonly long NrCopyFileRange = IsX64 ? 326 : 285;
    private static readonly long NrRenameAt2 = IsX64 ? 316 : 276;

    /// <summary>FICLONE: clones a whole file, sharing its blocks.</summary>
    public static int Clone(int fromFd, int toFd) => Libc.Ioctl(toFd, Ficlone, (void*)fromFd);

    /// <summary>copy_file_range(2) at the same offset of both files. Returns the number of bytes copied.</summary>
    public static long CopyRange(int fromFd, int toFd, long offset, long length)
    {
        long from = offset;
        long to = offset;
        nint n;
        while (SystemCall.WasInterrupted(n = SystemCallFaults.Fails("copy_file_range", toFd, ref length)
            ? -1
            : syscall(NrCopyFileRange, fromFd, (nint)(&from), toFd, (nint)(&to), (nint)length, 0)))
        {
        }

        return SystemCall.Result((long)n);
    }

    /// <summary>Returns the offset of the next data at or after an offset, or -ENXIO if there is only a hole.</summary>
    public static long FindData(int fd, long offset) =>
        SystemCall.Result(SystemCallFaults.Fails("lseek SEEK_DATA", fd) ? -1 : lseek(fd, offset, SeekData));

    /// <summary>Returns the offset of the next hole, or the end of the file, at or after an offset.</summary>
    public static long FindHole(int fd, long offset) =>
        SystemCall.Result(SystemCallFaults.Fails("lseek SEEK_HOLE", fd) ? -1 : lseek(fd, offset, SeekHole));

    /// <summary>
    /// renameat2 with RENAME_NOREPLACE. Returns -EEXIST if the name is taken, and -EINVAL or -ENOSYS if the call is not supported.
    /// </summary>
    public static int RenameNew(in NodePath from, in NodePath to)
    {
        fixed (byte* f = from.Name)
        fixed (byte* t = to.Name)
        {
            nint answer;
            while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("renameat2", to.FolderFd)
                ? -1
                : syscall(NrRenameAt2, from.KernelFolder, (nint)f, to.KernelFolder, (nint)t, (nint)RenameNoReplaceFlag, 0)))
            {
            }

            return SystemCall.Result(answer);
        }
    }

    /// <summary>syncfs(2): flushes the file system of a descriptor.</summary>
    public static int FlushFileSystem(int fd)
    {
        nint answer;
        while (SystemCall.WasInterrupted(answer = SystemCallFaults.Fails("syncfs", fd) ? -1 : syncfs(fd)))
        {
        }

        return SystemCall.Result(answer);
    }

    [LibraryImport(SystemLibrary.Name)]
    private static partial int syncfs(int fd);
}
