using System.Runtime.InteropServices;
using Sluice.Uring;
using static Sluice.Kernel.SharedCalls;

namespace Sluice.Kernel;

/// <summary>System calls of copying, on 64-bit Linux. Each returns 0 or more, or a negative errno; nothing throws.</summary>
internal static unsafe partial class CopyCalls
{
    private const nuint Ficlone = 0x40049409;
    private const nuint FicloneRange = 0x4020940D;
    private const int SeekData = 3;
    private const int SeekHole = 4;
    private const long RenameNoReplaceFlag = 1;

    private static readonly bool IsX64 = RuntimeInformation.ProcessArchitecture == Architecture.X64;
    private static readonly long NrCopyFileRange = IsX64 ? 326 : 285;
    private static readonly long NrRenameAt2 = IsX64 ? 316 : 276;

    /// <summary>FICLONE: the whole of one file becomes the other's, sharing its blocks.</summary>
    public static int Clone(int fromFd, int toFd) => Libc.Ioctl(toFd, Ficlone, (void*)fromFd);

    /// <summary>FICLONERANGE: a part of one file becomes the other's at the same offset, sharing its blocks.</summary>
    public static int CloneRange(int fromFd, int toFd, long offset, long length)
    {
        long* range = stackalloc long[4] { fromFd, offset, length, offset };
        return Libc.Ioctl(toFd, FicloneRange, range);
    }

    /// <summary>copy_file_range(2) at the same offset of both; the bytes copied.</summary>
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

    /// <summary>Where data begins at or behind an offset; -ENXIO when only a hole follows.</summary>
    public static long FindData(int fd, long offset) =>
        SystemCall.Result(SystemCallFaults.Fails("lseek SEEK_DATA", fd) ? -1 : lseek(fd, offset, SeekData));

    /// <summary>Where a hole, or the end of the file, begins at or behind an offset.</summary>
    public static long FindHole(int fd, long offset) =>
        SystemCall.Result(SystemCallFaults.Fails("lseek SEEK_HOLE", fd) ? -1 : lseek(fd, offset, SeekHole));

    /// <summary>renameat2 with RENAME_NOREPLACE; -EEXIST where the name is taken, -EINVAL or -ENOSYS where this is not known.</summary>
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

    /// <summary>syncfs(2): everything of the file system that a descriptor is on.</summary>
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
