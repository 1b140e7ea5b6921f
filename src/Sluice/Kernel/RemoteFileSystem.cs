using System.Runtime.Versioning;

namespace Sluice.Kernel;

/// <summary>
/// Which file systems send their requests to another machine, or to a program: there a call takes the way there and back, and many calls
/// at once take hardly longer than one.
/// </summary>
[SupportedOSPlatform("linux")]
internal static class RemoteFileSystem
{
    // f_type of statfs(2), by the kernel's linux/magic.h and, where the file system is not the kernel's own, by its sources.
    private const long Nfs = 0x6969;
    private const long Smb = 0x517B;
    private const long Cifs = 0xFF534D42;
    private const long Smb2 = 0xFE534D42;
    private const long Ceph = 0x00C36400;
    private const long Plan9 = 0x01021997;
    private const long Afs = 0x5346414F;
    private const long KernelAfs = 0x6B414653;
    private const long Coda = 0x73757245;
    private const long Lustre = 0x0BD00BD0;
    private const long Gpfs = 0x47504653;
    private const long BeeGfs = 0x19830326;

    /// <summary>eCryptfs: of this machine, on another file system.</summary>
    private const long Ecryptfs = 0xF15F;

    /// <summary>
    /// Whether syncfs(2) may leave undone what fsync(2) of each file and folder does: where a file system is another one's front, or a
    /// server's, and the kernel passes no such request on (FUSE but for virtiofs, SMB, 9p, eCryptfs; Ceph's part of it does). Where the
    /// system does not tell, too.
    /// </summary>
    public static bool MustFlushEach(int fd)
    {
        long type = Libc.FileSystemType(fd) & 0xFFFF_FFFF;
        return type is 0 or Ecryptfs || (type != Ceph && IsRemote(type));
    }

    /// <summary>Whether an open file or folder lies on such a one; false where the system does not tell.</summary>
    public static bool Holds(int fd) => IsRemote(Libc.FileSystemType(fd) & 0xFFFF_FFFF);

    private static bool IsRemote(long type) =>
        type is Nfs or Smb or Cifs or Smb2 or Libc.FuseMagic or Ceph or Plan9 or Afs or KernelAfs or Coda or Lustre or Gpfs or BeeGfs;
}
